import CHandles
import CMam
import CProcess
import MAMPolicy
import MAMSession
import MAMSupport

// mam.h, section 6: decisions with their reasons.

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_decide")
public func mam_policy_decide(
    _ m: OpaquePointer!, _ request_json: UnsafePointer<CChar>!, _ decision: UnsafeMutablePointer<OpaquePointer?>!
) -> mam_status {
    decision?.pointee = nil
    return call(m) { (session: Session) throws(MAMError) in
        let out = try output(decision, "decision")
        try put(try session.policies.decide(try json(request_json, "request_json")), out)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_reason")
public func mam_policy_reason(
    _ policy: OpaquePointer!, _ question: Int32, _ decision: UnsafeMutablePointer<OpaquePointer?>!
) -> mam_status {
    reason(policy, decision) { (handle, session) throws(MAMError) in
        guard let predicate = Predicate(rawValue: Int(question)) else {
            throw .argument("question", "is \(question); it must be one MAM_ASK_* constant")
        }
        return try session.policies.decide(predicate, of: handle).json(
            isRequirement: predicate.isRequirement, in: session.language)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_save_to_reason")
public func mam_policy_save_to_reason(
    _ policy: OpaquePointer!, _ location: mam_save_location, _ account: UnsafePointer<CChar>!,
    _ decision: UnsafeMutablePointer<OpaquePointer?>!
) -> mam_status {
    reason(policy, decision) { (handle, session) throws(MAMError) in
        guard let known = SaveLocation(rawValue: location.rawValue) else {
            throw noLocation(location.rawValue, "MAM_SAVE_")
        }
        return try session.policies.saveTo(handle, known, try MAMABI.account(account)).json(
            isRequirement: false, in: session.language)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_open_from_reason")
public func mam_policy_open_from_reason(
    _ policy: OpaquePointer!, _ location: mam_open_location, _ account: UnsafePointer<CChar>!,
    _ decision: UnsafeMutablePointer<OpaquePointer?>!
) -> mam_status {
    reason(policy, decision) { (handle, session) throws(MAMError) in
        guard let known = OpenLocation(rawValue: location.rawValue) else {
            throw noLocation(location.rawValue, "MAM_OPEN_")
        }
        return try session.policies.openFrom(handle, known, try MAMABI.account(account)).json(
            isRequirement: false, in: session.language)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_url_reason")
public func mam_policy_url_reason(
    _ policy: OpaquePointer!, _ url: UnsafePointer<CChar>!, _ known_managed_scheme: mam_bool,
    _ decision: UnsafeMutablePointer<OpaquePointer?>!
) -> mam_status {
    reason(policy, decision) { (handle, session) throws(MAMError) in
        let isKnownManaged = try boolean(known_managed_scheme, "known_managed_scheme")
        return try session.policies.decideOpening(handle, try link(url), isKnownManaged: isKnownManaged)
            .json(
                isRequirement: false, in: session.language)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_decision_is_allowed")
public func mam_decision_is_allowed(_ decision: OpaquePointer!) -> mam_bool {
    var isAllowed = false
    let status = call(decision) { (held: HeldDecision) throws(MAMError) in isAllowed = held.isAllowed }
    return status == 0 && isAllowed ? 1 : 0
}

/// Documented in mam.h.
@implementation @_cdecl("mam_decision_setting")
public func mam_decision_setting(_ decision: OpaquePointer!) -> UnsafePointer<CChar>! { text(decision, .setting) }

/// Documented in mam.h.
@implementation @_cdecl("mam_decision_policy_name")
public func mam_decision_policy_name(_ decision: OpaquePointer!) -> UnsafePointer<CChar>! {
    text(decision, .policyName)
}

/// Documented in mam.h.
@implementation @_cdecl("mam_decision_message")
public func mam_decision_message(_ decision: OpaquePointer!) -> UnsafePointer<CChar>! { text(decision, .message) }

/// Documented in mam.h.
@implementation @_cdecl("mam_decision_user_message")
public func mam_decision_user_message(_ decision: OpaquePointer!) -> UnsafePointer<CChar>! {
    text(decision, .userMessage)
}

/// Documented in mam.h.
@implementation @_cdecl("mam_decision_message_key")
public func mam_decision_message_key(_ decision: OpaquePointer!) -> UnsafePointer<CChar>! {
    text(decision, .messageKey)
}

/// Documented in mam.h.
@implementation @_cdecl("mam_decision_json")
public func mam_decision_json(
    _ decision: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    json?.pointee = nil
    return call(decision) { (held: HeldDecision) throws(MAMError) in
        let out = try output(json, "json")
        try put(held.json.utf8, out)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_decision_release")
public func mam_decision_release(_ decision: OpaquePointer!) {
    release(decision, HANDLE_DECISION) { (_: HeldDecision, _) in }
}

/// The object of a `mam_decision_t`: a reply of `mam_policy_check`, with the texts that the host borrows.
private final class HeldDecision {
    /// The members of a reason that are texts, by their keys.
    enum Text: String, CaseIterable { case setting, policyName, message, userMessage, messageKey }

    let json: JSON
    private var texts: [UnsafeMutablePointer<CChar>] = []

    init(_ json: JSON) throws(MAMError) {
        self.json = json
        for key in Text.allCases {
            let bytes = Array((json.member("reason")?.member(key.rawValue)?.string ?? "").utf8)
            guard let text = ResultText.copy(bytes) else { throw .noMemory(bytes.count + 1) }
            texts.append(text)
        }
    }

    deinit { for text in texts { process_result_free(text) } }

    /// Whether the action is allowed, or nothing is required.
    var isAllowed: Bool { json.member("allowed")?.bool == true || json.member("required")?.bool == false }

    func text(_ key: Text) -> UnsafePointer<CChar>? {
        Text.allCases.firstIndex(of: key).map { UnsafePointer(texts[$0]) }
    }
}

/// Creates a decision and stores it in the output.
private func put(_ json: JSON, _ out: UnsafeMutablePointer<OpaquePointer?>) throws(MAMError) {
    out.pointee = OpaquePointer(bitPattern: try newToken(HANDLE_DECISION, try HeldDecision(json)))
}

/// Calls `body` with a policy handle and stores its reply as a decision in the output.
private func reason(
    _ policy: OpaquePointer?, _ decision: UnsafeMutablePointer<OpaquePointer?>?,
    _ body: (PolicyHandle, Session) throws(MAMError) -> JSON
) -> mam_status {
    decision?.pointee = nil
    return call(policy) { (handle: PolicyHandle, session: Session) throws(MAMError) in
        let out = try output(decision, "decision")
        try put(try body(handle, session), out)
    }
}

/// Calls `body` with a decision. It has no session that could be closed.
private func call(_ decision: OpaquePointer?, _ body: (HeldDecision) throws(MAMError) -> Void) -> mam_status {
    call { () throws(MAMError) in try withObject(decision, HANDLE_DECISION, "decision", body) }
}

private func text(_ decision: OpaquePointer?, _ key: HeldDecision.Text) -> UnsafePointer<CChar> {
    var found: UnsafePointer<CChar>?
    _ = read { () throws(MAMError) in
        try withObject(decision, HANDLE_DECISION, "decision") { (held: HeldDecision) throws(MAMError) in
            found = held.text(key)
        }
    }
    return found ?? characters("")
}
