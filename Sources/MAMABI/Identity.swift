import CHandles
import CMam
import MAMPolicy
import MAMSession
import MAMSupport

// mam.h, section 5.

/// Documented in mam.h.
@implementation @_cdecl("mam_set_process_identity")
public func mam_set_process_identity(_ m: OpaquePointer!, _ account: UnsafePointer<CChar>!) -> mam_status {
    call(m) { (session) throws(MAMError) in try session.identities.setProcessIdentity(try MAMABI.account(account)) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_process_identity")
public func mam_process_identity(_ m: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!)
    -> mam_status
{
    reply(m, json) { (session) throws(MAMError) in try session.identities.processIdentity() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_set_ui_identity")
public func mam_set_ui_identity(
    _ m: OpaquePointer!, _ window: UnsafePointer<CChar>!, _ identities_json: UnsafePointer<CChar>!,
    _ op: UnsafeMutablePointer<Int64>!
) -> mam_status {
    operation(m, op) { (session) throws(MAMError) in
        let window = try MAMABI.window(window)
        return try session.identitySwitches.setUIIdentity(window, try identities(identities_json, "identities_json"))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_open_url")
public func mam_open_url(
    _ m: OpaquePointer!, _ window: UnsafePointer<CChar>!, _ account: UnsafePointer<CChar>!,
    _ url: UnsafePointer<CChar>!, _ op: UnsafeMutablePointer<Int64>!
) -> mam_status {
    operation(m, op) { (session) throws(MAMError) in
        let place = try MAMABI.window(window)
        let url = try text(url, "url", limit: Link.maximumLength)
        let owner = try MAMABI.account(account, in: session, beside: .text(url, "url"))
        return try session.identitySwitches.openURL(place, owner, url)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_ui_identity")
public func mam_ui_identity(
    _ m: OpaquePointer!, _ window: UnsafePointer<CChar>!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in try session.identities.uiIdentity(try MAMABI.window(window)) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_push_thread_identity")
public func mam_push_thread_identity(_ m: OpaquePointer!, _ account: UnsafePointer<CChar>!) -> mam_status {
    call(m) { (session) throws(MAMError) in try session.identities.pushThreadIdentity(try MAMABI.account(account)) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_pop_thread_identity")
public func mam_pop_thread_identity(_ m: OpaquePointer!) -> mam_status {
    call(m) { (session) throws(MAMError) in try session.identities.popThreadIdentity() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_run_as")
public func mam_run_as(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!,
    _ fn: (@convention(c) (UnsafeMutableRawPointer?) -> Void)!, _ arg: UnsafeMutableRawPointer!
) -> mam_status {
    run(fn, arg) { (body) throws(MAMError) in
        let argument = try MAMABI.account(account)
        return call(m) { (session) throws(MAMError) in body = try Scope(session, argument) }
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_identity_capture")
public func mam_identity_capture(_ m: OpaquePointer!, _ identity: UnsafeMutablePointer<OpaquePointer?>!) -> mam_status {
    identity?.pointee = nil
    return call(m) { (session) throws(MAMError) in
        let out = try output(identity, "identity")
        out.pointee = OpaquePointer(bitPattern: try newToken(HANDLE_IDENTITY, session.identities.capture()))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_identity_run")
public func mam_identity_run(
    _ identity: OpaquePointer!, _ fn: (@convention(c) (UnsafeMutableRawPointer?) -> Void)!,
    _ arg: UnsafeMutableRawPointer!
) -> mam_status {
    run(fn, arg) { (body) throws(MAMError) in
        let captured = try retainedObject(identity, HANDLE_IDENTITY, "identity", as: CapturedIdentity.self)
        return call(OpaquePointer(bitPattern: captured.sessionToken), named: "identity") {
            (session) throws(MAMError) in
            body = try Scope(session, captured.argument)
        }
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_identity_release")
public func mam_identity_release(_ identity: OpaquePointer!) {
    release(identity, HANDLE_IDENTITY) { (_: CapturedIdentity, _) in }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_effective_identity")
public func mam_effective_identity(
    _ m: OpaquePointer!, _ task: Int32, _ window: UnsafePointer<CChar>!,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in
        guard let kind = IdentityTask(rawValue: task) else {
            throw .argument("task", "is \(task); it must be MAM_TASK_UI or MAM_TASK_FILE")
        }
        return try session.identities.effectiveIdentity(kind, try MAMABI.window(window))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_is_account_managed")
public func mam_is_account_managed(_ m: OpaquePointer!, _ account: UnsafePointer<CChar>!) -> mam_bool {
    answer(m, closed: true) { (session) throws(MAMError) in
        try session.identities.isManaged(try MAMABI.account(account))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_is_management_enabled")
public func mam_is_management_enabled(_ m: OpaquePointer!) -> mam_bool {
    answer(m, closed: true) { (session) throws(MAMError) in try session.identities.isManagementEnabled() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_identity_equal")
public func mam_identity_equal(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ other: UnsafePointer<CChar>!
) -> mam_bool {
    answer(m, closed: false) { (session) throws(MAMError) in
        try session.identities.isEqual(try MAMABI.account(account), try MAMABI.account(other, "other"))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_blocked_accounts")
public func mam_blocked_accounts(_ m: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!)
    -> mam_status
{
    reply(m, json) { (session) throws(MAMError) in try session.launchBlocks.blockedAccounts() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_blocked_reason")
public func mam_blocked_reason(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ reason: UnsafeMutablePointer<Int32>!
) -> mam_status {
    reason?.pointee = 0
    return call(m) { (session) throws(MAMError) in
        let out = try output(reason, "reason")
        out.pointee = try session.launchBlocks.blockedReason(try MAMABI.account(account))
    }
}

/// Sets a thread's identity while a host's function runs. The session is not kept busy meanwhile: the function may close it.
private struct Scope {
    private let identity: ThreadIdentity
    private let number: UInt64

    init(_ session: Session, _ argument: AccountArgument) throws(MAMError) {
        identity = session.identities.threadIdentity
        number = try session.identities.pushScoped(argument)
    }

    func end() { identity.unwind(number) }
}

/// Calls a host's function in the scope that `begin` creates.
private func run(
    _ fn: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?, _ arg: UnsafeMutableRawPointer?,
    _ begin: (inout Scope?) throws(MAMError) -> mam_status
) -> mam_status {
    var scope: Scope?
    do throws(MAMError) {
        guard let fn else { throw .argument("fn", "is NULL") }
        let status = try begin(&scope)
        guard let scope else { return status }
        fn(arg)
        scope.end()
        return succeed()
    } catch { return fail(error) }
}

/// Evaluates a predicate of a session; failures return the closed value.
private func answer(_ m: OpaquePointer?, closed: Bool, _ body: (Session) throws(MAMError) -> Bool) -> mam_bool {
    var answer = closed
    let status = call(m) { (session) throws(MAMError) in answer = try body(session) }
    return (status == 0 ? answer : closed) ? 1 : 0
}
