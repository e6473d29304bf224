import CMam
import CPlatform
import MAMAuthority
import MAMSession
import MAMSupport

// mam.h, sections 12 and 13.

private let maximumRequest = 16 << 20

/// Documented in mam.h.
@implementation @_cdecl("mam_admin")
public func mam_admin(
    _ path: UnsafePointer<CChar>!, _ request_json: UnsafePointer<CChar>!,
    _ reply_json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply_json?.pointee = nil
    return call { () throws(MAMError) in
        let out = try output(reply_json, "reply_json")
        let file = try text(path, "path", limit: 3000)
        guard !file.isEmpty else { throw .argument("path", "is empty") }
        let request = try json(request_json, "request_json", limit: maximumRequest)
        try put(try Administration.perform(path: file, request: request, now: Clock.system.now()).utf8, out)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_set_log")
public func mam_set_log(
    _ m: OpaquePointer!, _ level: Int32,
    _ fn: (@convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?) -> Void)!,
    _ user: UnsafeMutableRawPointer!
) -> mam_status {
    call(m) { (session) throws(MAMError) in
        guard let fn else { return try session.setLog(level: level, nil) }
        let (user, sessionToken) = (HostPointer(pointer: user), session.token)
        try session.setLog(level: level) { level, line in
            callingBack(sessionToken) { line.withCString { fn(user.pointer, level, $0) } }
        }
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_diagnostics")
public func mam_diagnostics(_ m: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!)
    -> mam_status
{
    reply(m, json) { (session) throws(MAMError) in try session.diagnostics() }
}
