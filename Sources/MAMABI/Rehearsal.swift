import CMam
import MAMPolicy
import MAMSupport

// mam.h, section 12: policies before anybody is under them.

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_lint")
public func mam_policy_lint(
    _ policy_json: UnsafePointer<CChar>!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    json?.pointee = nil
    return call { () throws(MAMError) in
        let out = try output(json, "json")
        try put(try Rehearsal.lint(try MAMABI.json(policy_json, "policy_json")).utf8, out)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_diff")
public func mam_policy_diff(
    _ before_json: UnsafePointer<CChar>!, _ after_json: UnsafePointer<CChar>!,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    json?.pointee = nil
    return call { () throws(MAMError) in
        let out = try output(json, "json")
        let before = try MAMABI.json(before_json, "before_json")
        try put(try Rehearsal.diff(from: before, to: try MAMABI.json(after_json, "after_json")).utf8, out)
    }
}
