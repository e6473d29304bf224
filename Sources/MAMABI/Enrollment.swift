import CMam
import MAMSession
import MAMSupport

// mam.h, sections 4 and 11.

/// Documented in mam.h.
@implementation @_cdecl("mam_register_and_enroll")
public func mam_register_and_enroll(
    _ m: OpaquePointer!, _ account_json: UnsafePointer<CChar>!, _ op: UnsafeMutablePointer<Int64>!
) -> mam_status {
    operation(m, op) { (session) throws(MAMError) in
        try session.registrations.registerAndEnroll(
            account_json == nil ? .object([]) : try json(account_json, "account_json"))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_login_and_enroll")
public func mam_login_and_enroll(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ op: UnsafeMutablePointer<Int64>!
) -> mam_status {
    operation(m, op) { (session) throws(MAMError) in
        try session.registrations.loginAndEnroll(try MAMABI.account(account))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_check_name")
public func mam_check_name(_ m: OpaquePointer!, _ account: UnsafePointer<CChar>!) -> mam_status {
    call(m) { (session) throws(MAMError) in try session.protection.checkName(try MAMABI.account(account)) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_register_account")
public func mam_register_account(_ m: OpaquePointer!, _ account: UnsafePointer<CChar>!) -> mam_status {
    call(m, .accountRegistration, account) { (session) throws(MAMError) in
        try session.registrations.registerName(try MAMABI.account(account))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_known_accounts")
public func mam_known_accounts(
    _ m: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in try session.registrations.knownNames() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_deregister_and_unenroll")
public func mam_deregister_and_unenroll(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ wipe: mam_bool, _ op: UnsafeMutablePointer<Int64>!
) -> mam_status {
    operation(m, op) { (session) throws(MAMError) in
        guard wipe == 0 || wipe == 1 else { throw .argument("wipe", "is \(wipe); it must be 0 or 1") }
        return try session.registrations.deregister(try MAMABI.account(account), isWipe: wipe == 1)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_check_in")
public func mam_check_in(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ op: UnsafeMutablePointer<Int64>!
) -> mam_status {
    operation(m, op) { (session) throws(MAMError) in try session.registrations.checkIn(try MAMABI.account(account)) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_forget_authority")
public func mam_forget_authority(_ m: OpaquePointer!) -> mam_status {
    call(m, .authorityForgetting) { (session) throws(MAMError) in try session.registrations.forgetAuthority() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_wait")
public func mam_wait(
    _ m: OpaquePointer!, _ op: Int64, _ timeout_ms: Int32,
    _ status_json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, status_json, named: "status_json", countsAsUse: false) { (session) throws(MAMError) in
        try checkTimeout(timeout_ms)
        try refuseInsideCallback(session.token, "mam_wait")
        defer { session.telemetry.deliverWaiting() }
        return try session.operations.wait(for: op, milliseconds: Int64(timeout_ms)).json(in: session.language)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_run_due")
public func mam_run_due(_ m: OpaquePointer!) -> mam_status {
    call(m, countsAsUse: false) { (session) throws(MAMError) in
        try refuseInsideCallback(session.token, "mam_run_due")
        defer { session.telemetry.deliverWaiting() }
        try session.operations.runDueNow()
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_registered_accounts")
public func mam_registered_accounts(
    _ m: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in try session.registrations.registeredAccounts() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_registered_account")
public func mam_registered_account(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in
        try session.registrations.registeredAccount(try MAMABI.account(account))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_enrolled_accounts")
public func mam_enrolled_accounts(
    _ m: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in try session.registrations.enrolledAccounts() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_primary_account")
public func mam_primary_account(
    _ m: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in try session.registrations.primaryAccount() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_former_account")
public func mam_former_account(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in
        try session.registrations.formerAccount(try MAMABI.account(account), in: session.language)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_allowed_accounts")
public func mam_allowed_accounts(
    _ m: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in try session.device.allowedAccounts() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_mdm_account")
public func mam_mdm_account(
    _ m: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in try session.device.mdmAccount() }
}
