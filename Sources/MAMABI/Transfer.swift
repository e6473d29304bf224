import CHandles
import CMam
import MAMPolicy
import MAMSession
import MAMSupport

// mam.h, section 6: what leaves the app, and how.

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_notification")
public func mam_policy_notification(_ policy: OpaquePointer!) -> Int32 {
    let level = NotificationLevel {
        let answer = predicate(policy, $0) == 1
        return thread_state_current().pointee.status == 0 ? answer : nil
    }
    return level.rawValue
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_clipboard")
public func mam_policy_clipboard(
    _ policy: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ length: Int,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(policy, json) { (handle, session) throws(MAMError) in
        guard length >= 0 else { throw .argument("length", "is above PTRDIFF_MAX") }
        return try session.policies.copy(handle, length, to: try MAMABI.account(account))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_web_view")
public func mam_policy_web_view(
    _ policy: OpaquePointer!, _ viewer_json: UnsafePointer<CChar>!,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(policy, json) { (handle, session) throws(MAMError) in
        try session.policies.webView(handle, try WebViewer(try MAMABI.json(viewer_json, "viewer_json")))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_filter_share_targets")
public func mam_policy_filter_share_targets(
    _ policy: OpaquePointer!, _ targets_json: UnsafePointer<CChar>!,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(policy, json) { (handle, session) throws(MAMError) in
        try session.policies.filter(handle, try ShareSelection.targets(try MAMABI.json(targets_json, "targets_json")))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_managed_apps")
public func mam_managed_apps(_ m: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!)
    -> mam_status
{
    reply(m, json) { (session) throws(MAMError) in try session.policies.managedApps() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_managed_app")
public func mam_managed_app(
    _ m: OpaquePointer!, _ app_json: UnsafePointer<CChar>!,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(m, json) { (session) throws(MAMError) in
        try session.policies.managedApp(try AppQuery(program: try MAMABI.json(app_json, "app_json")))
    }
}
