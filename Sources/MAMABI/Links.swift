import CMam
import MAMPolicy
import MAMSession
import MAMSupport

// mam.h, section 6: links.

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_is_url_allowed")
public func mam_policy_is_url_allowed(
    _ policy: OpaquePointer!, _ url: UnsafePointer<CChar>!, _ known_managed_scheme: mam_bool
) -> mam_bool {
    var isAllowed = false
    let status = call(policy) { (handle, session) throws(MAMError) in
        let isKnownManaged = try boolean(known_managed_scheme, "known_managed_scheme")
        isAllowed = try session.policies.allowsOpening(handle, try link(url), isKnownManaged: isKnownManaged)
    }
    return status == 0 && isAllowed ? 1 : 0
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_is_universal_link_allowed")
public func mam_policy_is_universal_link_allowed(_ policy: OpaquePointer!, _ url: UnsafePointer<CChar>!) -> mam_bool {
    var isAllowed = false
    let status = call(policy) { (handle, session) throws(MAMError) in
        isAllowed = try session.policies.allowsUniversalLink(handle, try link(url))
    }
    return status == 0 && isAllowed ? 1 : 0
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_url")
public func mam_policy_url(
    _ policy: OpaquePointer!, _ url: UnsafePointer<CChar>!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(policy, json) { (handle, session) throws(MAMError) in try session.policies.open(handle, try link(url)) }
}

func link(_ url: UnsafePointer<CChar>?) throws(MAMError) -> Link {
    Link(utf8: try utf8(url, "url", limit: Link.maximumLength))
}
