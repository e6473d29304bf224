import CMam
import CPlatform
import MAMProtection
import MAMSession
import MAMSupport

// mam.h, section 9: strings.

/// Documented in mam.h.
@implementation @_cdecl("mam_protect_string")
public func mam_protect_string(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ text: UnsafePointer<CChar>!,
    _ protected_text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    protected_text?.pointee = nil
    return call(m) { (session) throws(MAMError) in
        let out = try output(protected_text, "protected_text")
        let plain = try textBytes(text, "text")
        let (sealer, size) = try sealer(session, account, plain.count, .string)
        guard let length = Base64.encodedLength(size) else { throw .argument("text", "is too large to protect") }
        // An unmanaged user's container shows its text: all that held it is zeroed.
        out.pointee = try withScratch(size) { (container) throws(MAMError) in
            try sealer.seal(plain, into: container)
            return try newText(length) { Base64.encode(UnsafeRawBufferPointer(container), into: $0) }
        }
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_unprotect_string")
public func mam_unprotect_string(
    _ m: OpaquePointer!, _ protected_text: UnsafePointer<CChar>!, _ flags: UInt32,
    _ text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!, _ was_protected: UnsafeMutablePointer<mam_bool>!
) -> mam_status {
    text?.pointee = nil
    was_protected?.pointee = 0
    return call(m) { (session) throws(MAMError) in
        let out = try output(text, "text")
        let input = try textBytes(protected_text, "protected_text")
        let opened: Void? = try withContainer(input) { (container) throws(MAMError) in
            let opened = try Opened(container, flags, session)
            out.pointee = try newText(opened.size) { (room) throws(MAMError) in
                try opened.open(container, into: room)
                // What was protected as data need not be text.
                guard !room.contains(0), isUTF8(UnsafeRawBufferPointer(room)) else {
                    throw MAMError(
                        .damaged,
                        "protected_text holds bytes that are not text; decode the base64 and use mam_unprotect")
                }
            }
            was_protected?.pointee = 1
        }
        guard opened == nil else { return }
        try Opened.checkFlags(flags)
        guard flags & UInt32(MAM_STRICT) == 0 else { throw notProtected("protected_text") }
        out.pointee = try newText(input.count) { $0.copyMemory(from: input) }
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_protection_info_string")
public func mam_protection_info_string(
    _ m: OpaquePointer!, _ protected_text: UnsafePointer<CChar>!,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in
        let info = try withContainer(try textBytes(protected_text, "protected_text")) { (container) throws(MAMError) in
            try session.protectionInfo(container)
        }
        guard let info else { throw notProtected("protected_text") }
        return info
    }
}

/// The bytes of text that may not be empty.
private func textBytes(_ pointer: UnsafePointer<CChar>?, _ argument: String) throws(MAMError) -> UnsafeRawBufferPointer
{
    guard let pointer else { throw .argument(argument, "is NULL", originalCode: 101) }
    let bytes = UnsafeRawBufferPointer(start: pointer, count: platform_text_length(pointer, Int.max))
    guard !bytes.isEmpty else {
        throw MAMError(.empty, "\(argument) is empty", [("argument", .string(argument)), ("originalCode", 105)])
    }
    guard isUTF8(bytes) else { throw .argument(argument, "is not UTF-8") }
    return bytes
}

/// Look at the container that text is base64 of; nil where it is none.
private func withContainer<R>(
    _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(MAMError) -> R
) throws(MAMError) -> R? {
    guard Container.isText(text) else { return nil }
    return try withScratch(Base64.decodedLength(text)) { (container) throws(MAMError) -> R? in
        do throws(Base64.Failure) { try Base64.decode(text, into: container) } catch {
            if case .notBase64 = error { return nil }
            throw MAMError(
                .damaged, "protected_text is base64 of a container, but not in its one canonical form",
                [("originalCode", 103)])
        }
        let container = UnsafeRawBufferPointer(container)
        return Container.isContainer(container) ? try body(container) : nil
    }
}

/// Text of so many bytes, with a NUL behind it.
private func newText(
    _ length: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(MAMError) -> Void
) throws(MAMError) -> UnsafeMutablePointer<CChar> {
    let memory = try newMemory(length + 1) { (room) throws(MAMError) in
        try fill(UnsafeMutableRawBufferPointer(rebasing: room[..<length]))
        room[length] = 0
    }
    return memory.assumingMemoryBound(to: CChar.self)
}

/// Memory that is zeroed when `body` ends.
private func withScratch<R>(
    _ size: Int, _ body: (UnsafeMutableRawBufferPointer) throws(MAMError) -> R
) throws(MAMError) -> R {
    guard let memory = platform_result_alloc(size) else { throw .noMemory(size) }
    defer { platform_result_free(memory) }
    return try body(UnsafeMutableRawBufferPointer(start: memory, count: size))
}
