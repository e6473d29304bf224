import CMam
import MAMPolicy
import MAMSession
import MAMSupport

// mam.h, section 7.

/// Decodes a PIN: checks the size first, and copies it into secret memory last.
private func secret(
    _ pointer: UnsafePointer<UInt8>?, _ length: Int, _ argument: String, length lengthName: String
) throws(MAMError) -> SecretBytes {
    guard length >= 0 else { throw .argument(lengthName, "is above PTRDIFF_MAX") }
    let given = try bytes(pointer, length, argument)
    try PINRule.check(given.assumingMemoryBound(to: UInt8.self).span, argument)
    return try SecretBytes(copying: given)
}

/// Documented in mam.h.
@implementation @_cdecl("mam_pin_status")
public func mam_pin_status(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in try session.pins.status(of: try MAMABI.account(account)) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_pin_set")
public func mam_pin_set(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ old: UnsafePointer<UInt8>!, _ old_length: Int,
    _ new_pin: UnsafePointer<UInt8>!, _ new_length: Int
) -> mam_status {
    call(m, .pinSet, account) { (session) throws(MAMError) in
        let account = try MAMABI.account(account)
        _ = try account.named()
        let hasOld = old != nil || old_length != 0
        let former = hasOld ? try secret(old, old_length, "old", length: "old_length") : nil
        let new = try secret(new_pin, new_length, "new_pin", length: "new_length")
        try session.pins.set(account, old: former, new: new)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_pin_verify")
public func mam_pin_verify(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ pin: UnsafePointer<UInt8>!, _ length: Int
) -> mam_status {
    call(m, .pinVerify, account) { (session) throws(MAMError) in
        let account = try MAMABI.account(account)
        _ = try account.named()
        try session.pins.verify(account, try secret(pin, length, "pin", length: "length"))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_pin_reset")
public func mam_pin_reset(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ op: UnsafeMutablePointer<Int64>!
) -> mam_status {
    operation(m, op) { (session) throws(MAMError) in try session.pins.reset(try MAMABI.account(account)) }
}
