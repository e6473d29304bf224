import CMam
import MAMSession
import MAMSupport

// mam.h, section 13: telemetry.

/// Documented in mam.h.
@implementation @_cdecl("mam_set_telemetry")
public func mam_set_telemetry(
    _ m: OpaquePointer!, _ level: Int32,
    _ fn: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void)!,
    _ user: UnsafeMutableRawPointer!
) -> mam_status {
    call(m) { (session) throws(MAMError) in
        guard let fn else { return try session.telemetry.set(level: level, nil) }
        let (user, sessionToken) = (HostPointer(pointer: user), session.token)
        try session.telemetry.set(level: level) { event in
            callingBack(sessionToken) { event.withCString { fn(user.pointer, $0) } }
        }
    }
}

/// Calls `body` with a session, and records the call as an action of an account.
func call(
    _ m: OpaquePointer?, _ action: TelemetryAction, _ account: UnsafePointer<CChar>? = nil,
    _ body: (Session) throws(MAMError) -> Void
) -> mam_status {
    call(m) { (session) throws(MAMError) in
        defer { session.telemetry.deliverWaiting() }
        try session.perform(action, for: { try? MAMABI.account(account) }) { () throws(MAMError) in try body(session) }
    }
}
