import CMam
import CProcess
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
        let plan = try decodeAccountAndPlan(session, account, plain, .data)
        let target = try target(plan.length, in: room, written)
        try refuseOverlap(plain, target)
        try plan.seal(plain, into: target)
        written.pointee = plan.length
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
        let plan = try decodeAccountAndPlan(session, account, plain, .data)
        out.pointee = try buffer(plan.length) { (room) throws(MAMError) in try plan.seal(plain, into: room) }
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
        let plan = try session.protection.openingPlan(for: input, isStrict: try isStrict(flags))
        let target = try target(plan.length, in: room, written)
        try refuseOverlap(input, target)
        try plan.open(into: target)
        was_protected?.pointee = plan.isProtected ? 1 : 0
        written.pointee = plan.length
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
        let plan = try session.protection.openingPlan(for: input, isStrict: try isStrict(flags))
        out.pointee = try buffer(plan.length) { (room) throws(MAMError) in try plan.open(into: room) }
        was_protected?.pointee = plan.isProtected ? 1 : 0
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_protection_info")
public func mam_protection_info(
    _ m: OpaquePointer!, _ data: UnsafePointer<UInt8>!, _ length: Int,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in try session.protection.info(try plainBytes(data, length)) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_protection_info_prefix")
public func mam_protection_info_prefix(
    _ m: OpaquePointer!, _ data: UnsafePointer<UInt8>!, _ length: Int,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in
        try session.protection.info(ofPrefix: try plainBytes(data, length))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_rotate_keys")
public func mam_rotate_keys(_ m: OpaquePointer!, _ account: UnsafePointer<CChar>!) -> mam_status {
    call(m, .keyRotation, account) { (session) throws(MAMError) in
        try session.protection.rotateKeys(of: try MAMABI.account(account))
    }
}

func decodeAccountAndPlan(
    _ session: Session, _ account: UnsafePointer<CChar>?, _ plain: UnsafeRawBufferPointer, _ content: ContentType
) throws(MAMError) -> ProtectionPlan {
    let account = try accountBytes(try requiredAccount(account))
    return try session.protection.protectionPlan(for: account, plain: plain, content: content)
}

/// Decodes the flags: whether unprotected data is refused.
func isStrict(_ flags: UInt32) throws(MAMError) -> Bool {
    try checkFlags(flags, MAM_STRICT)
    return flags & UInt32(MAM_STRICT) != 0
}

/// Decodes bytes that must not be empty.
private func plainBytes(_ data: UnsafePointer<UInt8>?, _ length: Int) throws(MAMError) -> UnsafeRawBufferPointer {
    let plain = try bytes(data, length, "data")
    guard !plain.isEmpty else {
        throw MAMError(.empty, "data is empty", [("argument", "data"), OriginalCode.emptyData.detail])
    }
    return plain
}

/// Returns the first `length` bytes of `room`. If `room` is smaller, stores `length` in `written` and fails.
private func target(
    _ length: Int, in room: UnsafeMutableRawBufferPointer, _ written: UnsafeMutablePointer<Int>
) throws(MAMError) -> UnsafeMutableRawBufferPointer {
    guard room.count >= length else {
        written.pointee = length
        throw MAMError(
            .buffer, "capacity is too small; bring \(length) bytes",
            [("argument", "capacity"), ("size", .integer(Int64(length)))])
    }
    return UnsafeMutableRawBufferPointer(rebasing: room[..<length])
}

private func buffer(
    _ size: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(MAMError) -> Void
) throws(MAMError) -> mam_buffer {
    let memory = try newMemory(size, fill)
    return mam_buffer(data: memory.assumingMemoryBound(to: UInt8.self), length: size)
}

/// Allocates memory that `mam_free` releases; zeroes and frees it if `fill` fails.
func newMemory(
    _ size: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(MAMError) -> Void
) throws(MAMError) -> UnsafeMutableRawPointer {
    guard let memory = process_result_alloc(size) else { throw .noMemory(size) }
    do throws(MAMError) { try fill(UnsafeMutableRawBufferPointer(start: memory, count: size)) } catch {
        process_result_free(memory)
        throw error
    }
    return memory
}
