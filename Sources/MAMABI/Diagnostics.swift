import CMam
import MAMSession
import MAMSupport

// mam.h, section 13.

/// Documented in mam.h.
@implementation @_cdecl("mam_set_log")
public func mam_set_log(
    _ m: OpaquePointer!, _ level: Int32,
    _ fn: (@convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?) -> Void)!,
    _ user: UnsafeMutableRawPointer!
) -> mam_status {
    call(m) { (session) throws(MAMError) in
        guard let fn else { return try session.log.set(level: level, nil) }
        let (user, sessionToken) = (HostPointer(pointer: user), session.token)
        try session.log.set(level: level) { level, line in
            callingBack(sessionToken) { line.withCString { fn(user.pointer, level, $0) } }
        }
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_log_paths")
public func mam_log_paths(_ m: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!)
    -> mam_status
{
    reply(m, json) { (session) throws(MAMError) in .strings(session.log.paths) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_diagnostics")
public func mam_diagnostics(_ m: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!)
    -> mam_status
{
    reply(m, json) { (session) throws(MAMError) in try session.diagnostics() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_purge")
public func mam_purge(_ m: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!)
    -> mam_status
{
    reply(m, json) { (session) throws(MAMError) in try session.purge() }
}
