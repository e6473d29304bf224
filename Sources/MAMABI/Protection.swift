import CMam
import CPlatform
import MAMProtection
import MAMSession
import MAMSupport

// mam.h, section 9: buffers.

/// Documented in mam.h.
@implementation @_cdecl("mam_protect_bound")
public func mam_protect_bound(_ length: Int) -> Int { length < 0 ? 0 : Container.bound(length) ?? 0 }

/// Documented in mam.h.
@implementation @_cdecl("mam_protect_into")
public func mam_protect_into(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ data: UnsafePointer<UInt8>!, _ length: Int,
    _ out: UnsafeMutablePointer<UInt8>!, _ capacity: Int, _ written: UnsafeMutablePointer<Int>!
) -> mam_status {
    written?.pointee = 0
    return call(m) { (session) throws(MAMError) in
        let written = try output(written, "written")
        let plain = try plainBytes(data, length)
        let room = try room(out, capacity)
        let (sealer, size) = try sealer(session, account, plain.count, .data)
        guard room.count >= size else {
            written.pointee = size
            throw tooSmall(size)
        }
        let target = UnsafeMutableRawBufferPointer(rebasing: room[..<size])
        try refuseOverlap(plain, target)
        try sealer.seal(plain, into: target)
        written.pointee = size
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_protect")
public func mam_protect(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ data: UnsafePointer<UInt8>!, _ length: Int,
    _ out: UnsafeMutablePointer<mam_buffer>!
) -> mam_status {
    out?.pointee = mam_buffer(data: nil, length: 0)
    return call(m) { (session) throws(MAMError) in
        let out = try output(out, "out")
        let plain = try plainBytes(data, length)
        let (sealer, size) = try sealer(session, account, plain.count, .data)
        out.pointee = try buffer(size) { (room) throws(MAMError) in try sealer.seal(plain, into: room) }
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_unprotect_into")
public func mam_unprotect_into(
    _ m: OpaquePointer!, _ data: UnsafePointer<UInt8>!, _ length: Int, _ flags: UInt32,
    _ out: UnsafeMutablePointer<UInt8>!, _ capacity: Int, _ written: UnsafeMutablePointer<Int>!,
    _ was_protected: UnsafeMutablePointer<mam_bool>!
) -> mam_status {
    written?.pointee = 0
    was_protected?.pointee = 0
    return call(m) { (session) throws(MAMError) in
        let written = try output(written, "written")
        let input = try plainBytes(data, length)
        let room = try room(out, capacity)
        let container = try Opened(input, flags, session)
        guard room.count >= container.size else {
            written.pointee = container.size
            throw tooSmall(container.size)
        }
        let target = UnsafeMutableRawBufferPointer(rebasing: room[..<container.size])
        try refuseOverlap(input, target)
        try container.open(input, into: target)
        was_protected?.pointee = container.isProtected ? 1 : 0
        written.pointee = container.size
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_unprotect")
public func mam_unprotect(
    _ m: OpaquePointer!, _ data: UnsafePointer<UInt8>!, _ length: Int, _ flags: UInt32,
    _ out: UnsafeMutablePointer<mam_buffer>!, _ was_protected: UnsafeMutablePointer<mam_bool>!
) -> mam_status {
    out?.pointee = mam_buffer(data: nil, length: 0)
    was_protected?.pointee = 0
    return call(m) { (session) throws(MAMError) in
        let out = try output(out, "out")
        let input = try plainBytes(data, length)
        let container = try Opened(input, flags, session)
        out.pointee = try buffer(container.size) { (room) throws(MAMError) in try container.open(input, into: room) }
        was_protected?.pointee = container.isProtected ? 1 : 0
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_protection_info")
public func mam_protection_info(
    _ m: OpaquePointer!, _ data: UnsafePointer<UInt8>!, _ length: Int,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in try session.protectionInfo(try plainBytes(data, length)) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_rotate_keys")
public func mam_rotate_keys(_ m: OpaquePointer!, _ account: UnsafePointer<CChar>!) -> mam_status {
    call(m) { (session) throws(MAMError) in try session.rotateKeys(of: try MAMABI.account(account)) }
}

/// What an input turns out to be, before a byte of it is opened.
struct Opened {
    private let container: (header: ContainerHeader, opener: Opener)?
    let size: Int

    var isProtected: Bool { container != nil }

    init(_ input: UnsafeRawBufferPointer, _ flags: UInt32, _ session: Session) throws(MAMError) {
        try Opened.checkFlags(flags)
        let isStrict = flags & UInt32(MAM_STRICT) != 0
        guard Container.isContainer(input) else {
            if let other = Container.otherForm(input) { throw other }
            if isStrict { throw notProtected("data") }
            container = nil
            size = input.count
            return
        }
        let header = try Container.header(input)
        container = (header, try session.opener(for: header, isStrict: isStrict))
        size = try Container.plainLength(input, header)
    }

    func open(_ input: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer) throws(MAMError) {
        if let container { return try container.opener.open(input, header: container.header, into: out) }
        if let source = input.baseAddress { out.baseAddress?.copyMemory(from: source, byteCount: input.count) }
    }

    static func checkFlags(_ flags: UInt32) throws(MAMError) {
        guard flags & ~UInt32(MAM_STRICT) == 0 else { throw .argument("flags", "has bits that mean nothing") }
    }
}

func sealer(
    _ session: Session, _ account: UnsafePointer<CChar>?, _ length: Int, _ content: ContentType
) throws(MAMError) -> (Sealer, Int) {
    guard let account else {
        throw .argument("account", "is NULL; name an account, or \"\" for no user", originalCode: 101)
    }
    let known = try managedSealer(session, account, content)
    let sealer = if let known { known } else { try session.sealer(for: try MAMABI.account(account), content: content) }
    guard let size = sealer.length(of: length) else { throw .argument("length", "is too large to protect") }
    return (sealer, size)
}

/// The short way, for data of a managed account: no text is made of the name.
private func managedSealer(
    _ session: Session, _ account: UnsafePointer<CChar>, _ content: ContentType
) throws(MAMError) -> Sealer? {
    let length = platform_text_length(account, Identity.maximumLength + 1)
    guard content == .data, length > 0, length <= Identity.maximumLength else { return nil }
    let bytes = UnsafeRawBufferPointer(start: account, count: length).assumingMemoryBound(to: UInt8.self)
    return try session.sealer(forManaged: bytes)
}

/// Bytes that may not be empty.
private func plainBytes(_ data: UnsafePointer<UInt8>?, _ length: Int) throws(MAMError) -> UnsafeRawBufferPointer {
    let plain = try bytes(data, length, "data")
    guard !plain.isEmpty else {
        throw MAMError(.empty, "data is empty", [("argument", "data"), ("originalCode", 105)])
    }
    return plain
}

func notProtected(_ argument: String) -> MAMError {
    MAMError(
        .notProtected, "\(argument) is no container: libmam has not protected it",
        [("argument", .string(argument)), ("originalCode", 104)])
}

private func tooSmall(_ size: Int) -> MAMError {
    MAMError(
        .buffer, "capacity is too small; bring \(size) bytes",
        [("argument", "capacity"), ("size", .integer(Int64(size)))])
}

private func buffer(
    _ size: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(MAMError) -> Void
) throws(MAMError) -> mam_buffer {
    let memory = try newMemory(size, fill)
    return mam_buffer(data: memory.assumingMemoryBound(to: UInt8.self), length: size)
}

/// The caller's memory, zeroed where it could not be filled.
func newMemory(
    _ size: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(MAMError) -> Void
) throws(MAMError) -> UnsafeMutableRawPointer {
    guard let memory = platform_result_alloc(size) else { throw .noMemory(size) }
    do throws(MAMError) { try fill(UnsafeMutableRawBufferPointer(start: memory, count: size)) } catch {
        platform_result_free(memory)
        throw error
    }
    return memory
}
