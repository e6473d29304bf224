import CHandles
import CMam
import MAMPolicy
import MAMProtection
import MAMSession
import MAMSupport

// mam.h, section 6: handles, locations and structured answers.

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_for_account")
public func mam_policy_for_account(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ policy: UnsafeMutablePointer<OpaquePointer?>!
) -> mam_status {
    policyHandle(m, policy) { (_) throws(MAMError) in PolicySubject(try MAMABI.account(account)) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_for_accounts")
public func mam_policy_for_accounts(
    _ m: OpaquePointer!, _ accounts_json: UnsafePointer<CChar>!, _ policy: UnsafeMutablePointer<OpaquePointer?>!
) -> mam_status {
    policyHandle(m, policy) { (_) throws(MAMError) in
        PolicySubject(try identities(accounts_json, "accounts_json"))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_current")
public func mam_policy_current(
    _ m: OpaquePointer!, _ window: UnsafePointer<CChar>!, _ policy: UnsafeMutablePointer<OpaquePointer?>!
) -> mam_status {
    policyHandle(m, policy) { (session) throws(MAMError) in
        try session.currentSubject(try MAMABI.window(window))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_source")
public func mam_policy_source(_ m: OpaquePointer!, _ source: UnsafeMutablePointer<Int32>!) -> mam_status {
    source?.pointee = 0
    return call(m) { (session) throws(MAMError) in
        let out = try output(source, "source")
        out.pointee = try session.identities.policySource()
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_release")
public func mam_policy_release(_ policy: OpaquePointer!) {
    release(policy, HANDLE_POLICY) { (handle: PolicyHandle, isForked) in
        if !isForked { handle.session.policies.release(handle) }
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_is_save_to_allowed")
public func mam_policy_is_save_to_allowed(
    _ policy: OpaquePointer!, _ location: mam_save_location, _ account: UnsafePointer<CChar>!
) -> mam_bool {
    let location = location.rawValue
    var answer: Int32 = 0
    let result = policy_bits_location(UInt(bitPattern: policy), true, location, account, &answer)
    if result == 0 {
        succeed()
        return answer
    }
    return lookUp(policy, result, location, "MAM_SAVE_") { (handle, session) throws(MAMError) in
        guard let location = SaveLocation(rawValue: location) else { throw noLocation(location, "MAM_SAVE_") }
        return try session.policies.saveTo(handle, location, try MAMABI.account(account))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_is_open_from_allowed")
public func mam_policy_is_open_from_allowed(
    _ policy: OpaquePointer!, _ location: mam_open_location, _ account: UnsafePointer<CChar>!
) -> mam_bool {
    let location = location.rawValue
    var answer: Int32 = 0
    let result = policy_bits_location(UInt(bitPattern: policy), false, location, account, &answer)
    if result == 0 {
        succeed()
        return answer
    }
    return lookUp(policy, result, location, "MAM_OPEN_") { (handle, session) throws(MAMError) in
        guard let location = OpenLocation(rawValue: location) else { throw noLocation(location, "MAM_OPEN_") }
        return try session.policies.openFrom(handle, location, try MAMABI.account(account))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_can_receive_data")
public func mam_policy_can_receive_data(_ policy: OpaquePointer!, _ data: UnsafePointer<UInt8>!, _ length: Int)
    -> mam_bool
{
    // Data without a container has no owner, and the handle publishes that answer.
    if let data, length > 0, !Container.isContainer(UnsafeRawBufferPointer(start: data, count: length)) {
        var answer: Int32 = 0
        if policy_bits_predicate(UInt(bitPattern: policy), PolicyHandle.receivesUnknown, &answer) == 0 {
            succeed()
            return answer
        }
    }
    return decide(policy) { (handle, session) throws(MAMError) in
        try session.policies.receive(handle, bytes: try bytes(data, length, "data"))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_save_to_locations")
public func mam_policy_save_to_locations(
    _ policy: OpaquePointer!, _ account: UnsafePointer<CChar>!,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(policy, json) { (handle, session) throws(MAMError) in
        try session.policies.saveToLocations(handle, try MAMABI.account(account))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_open_from_locations")
public func mam_policy_open_from_locations(
    _ policy: OpaquePointer!, _ account: UnsafePointer<CChar>!,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(policy, json) { (handle, session) throws(MAMError) in
        try session.policies.openFromLocations(handle, try MAMABI.account(account))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_json")
public func mam_policy_json(_ policy: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!)
    -> mam_status
{
    reply(policy, json) { (handle, session) throws(MAMError) in try session.policies.json(handle) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_check")
public func mam_policy_check(
    _ m: OpaquePointer!, _ request_json: UnsafePointer<CChar>!,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    json?.pointee = nil
    return call(m) { (session) throws(MAMError) in
        let out = try output(json, "json")
        try put(try session.policies.check(try MAMABI.json(request_json, "request_json")), out)
    }
}

/// Creates a policy handle and stores it in the output.
private func policyHandle(
    _ m: OpaquePointer?, _ policy: UnsafeMutablePointer<OpaquePointer?>?,
    _ subject: (Session) throws(MAMError) -> PolicySubject
) -> mam_status {
    policy?.pointee = nil
    return call(m) { (session) throws(MAMError) in
        let out = try output(policy, "policy")
        let handle = try session.policies.handle(of: try subject(session), in: session) { (handle) throws(MAMError) in
            try newToken(HANDLE_POLICY, handle)
        }
        out.pointee = OpaquePointer(bitPattern: handle.token)
    }
}

/// Answers from the session if the published words do not contain the name. Failures return 0, the closed value of every
/// location.
private func lookUp(
    _ policy: OpaquePointer?, _ result: Int32, _ location: Int32, _ constants: String,
    _ body: (PolicyHandle, Session) throws(MAMError) -> Decision
) -> mam_bool {
    switch Int(result) {
    case HANDLE_STALE: return decide(policy, body)
    case HANDLE_ARGUMENT where policy != nil:
        fail(noLocation(location, constants))
        return 0
    default:
        fail(handleError(result, "policy"))
        return 0
    }
}

func decide(
    _ policy: OpaquePointer?, _ body: (PolicyHandle, Session) throws(MAMError) -> Decision
) -> mam_bool {
    var isAllowed = false
    let status = call(policy) { (handle, session) throws(MAMError) in isAllowed = try body(handle, session).allowed }
    return status == 0 && isAllowed ? 1 : 0
}

func noLocation(_ location: Int32, _ prefix: String) -> MAMError {
    .argument("location", "is \(location); it must be one \(prefix)* constant")
}
