import CMam
import MAMAuthority
import MAMPolicy
import MAMSession
import MAMSupport

// mam.h, section 12: policies before they apply to an account.

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_properties")
public func mam_policy_properties(_ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!) -> mam_status {
    json?.pointee = nil
    return call { () throws(MAMError) in try put(PolicyAnalysis.properties.utf8, try output(json, "json")) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_lint")
public func mam_policy_lint(
    _ policy_json: UnsafePointer<CChar>!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    json?.pointee = nil
    return call { () throws(MAMError) in
        let out = try output(json, "json")
        try put(try PolicyAnalysis.lint(try MAMABI.json(policy_json, "policy_json")).utf8, out)
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
        try put(try PolicyAnalysis.diff(from: before, to: try MAMABI.json(after_json, "after_json")).utf8, out)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_explain")
public func mam_policy_explain(
    _ path: UnsafePointer<CChar>!, _ request_json: UnsafePointer<CChar>!,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    evaluate(path, request_json, json, limit: JSON.defaultLimit) { (path, request, now) throws(MAMError) in
        try PolicyExplanation.make(path: path, request: request, now: now)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_simulate")
public func mam_policy_simulate(
    _ path: UnsafePointer<CChar>!, _ request_json: UnsafePointer<CChar>!,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    evaluate(path, request_json, json, limit: maximumRequest) { (path, request, now) throws(MAMError) in
        try PolicySimulation.make(path: path, request: request, now: now, libraryVersion: "\(libraryVersionText)")
    }
}

/// Evaluate a request with the authority in a file.
private func evaluate(
    _ path: UnsafePointer<CChar>?, _ request: UnsafePointer<CChar>?,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, limit: Int,
    _ body: (String, JSON, Instant) throws(MAMError) -> JSON
) -> mam_status {
    json?.pointee = nil
    return call { () throws(MAMError) in
        let out = try output(json, "json")
        let file = try text(path, "path", limit: 3000)
        guard !file.isEmpty else { throw .argument("path", "is empty") }
        let request = try MAMABI.json(request, "request_json", limit: limit)
        try put(try body(file, request, Clock.system.now()).utf8, out)
    }
}
