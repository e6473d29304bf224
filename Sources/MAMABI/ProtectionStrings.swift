import CMam
import CProcess
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
        let plan = try decodeAccountAndPlan(session, account, plain, .string)
        out.pointee = try newText(try plan.textLength()) { (room) throws(MAMError) in
            try plan.sealText(plain, into: room)
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
        try withContainer(of: input) { (container) throws(MAMError) in
            let plan = try session.protection.openingPlan(
                forText: input, encoding: container, isStrict: try isStrict(flags))
            out.pointee = try newText(plan.length) { (room) throws(MAMError) in try plan.openText(into: room) }
            was_protected?.pointee = plan.isProtected ? 1 : 0
        }
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_protection_info_string")
public func mam_protection_info_string(
    _ m: OpaquePointer!, _ protected_text: UnsafePointer<CChar>!,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in
        try session.protection.info(ofText: try textBytes(protected_text, "protected_text"))
    }
}

/// Decodes text that must not be empty, as bytes.
private func textBytes(_ pointer: UnsafePointer<CChar>?, _ argument: String) throws(MAMError) -> UnsafeRawBufferPointer
{
    guard let pointer else { throw .argument(argument, "is NULL", originalCode: .invalidArguments) }
    let bytes = UnsafeRawBufferPointer(start: pointer, count: process_text_length(pointer, Int.max))
    guard !bytes.isEmpty else {
        throw MAMError(
            .empty, "\(argument) is empty", [("argument", .string(argument)), OriginalCode.emptyData.detail])
    }
    guard isUTF8(bytes) else { throw .argument(argument, "is not UTF-8") }
    return bytes
}

/// Allocates text of this many bytes, and a NUL after it.
private func newText(
    _ length: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(MAMError) -> Void
) throws(MAMError) -> UnsafeMutablePointer<CChar> {
    let memory = try newMemory(length + 1) { (room) throws(MAMError) in
        try fill(UnsafeMutableRawBufferPointer(rebasing: room[..<length]))
        room[length] = 0
    }
    return memory.assumingMemoryBound(to: CChar.self)
}
