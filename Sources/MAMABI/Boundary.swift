import CMam
import CPlatform
import MAMSession
import MAMSupport

/// The one conversion at the border: `MAMError` to a status and the thread's last error.

/// Run on a session; outputs were set to NULL or 0 by the shim before. A call that only waits, or lets libmam work, does not
/// count as use of the host.
func call(
    _ m: OpaquePointer?, named argument: String = "m", isUse: Bool = true, _ body: (Session) throws(MAMError) -> Void
) -> mam_status {
    do throws(MAMError) {
        try entered(m, PLATFORM_HANDLE_SESSION, argument) { (session: Session) throws(MAMError) in
            if isUse { session.noteUse() }
            try body(session)
        }
        return succeed()
    } catch { return fail(error) }
}

/// Run while the session is open that an object belongs to; it counts as use of the host.
func inside(
    _ session: Session, _ argument: String, _ body: () throws(MAMError) -> Void
) throws(MAMError) {
    let token = OpaquePointer(bitPattern: session.token)
    try entered(token, PLATFORM_HANDLE_SESSION, argument) { (session: Session) throws(MAMError) in
        session.noteUse()
        try body()
    }
}

/// Run on a policy handle and its session.
func call(_ policy: OpaquePointer?, _ body: (PolicyHandle, Session) throws(MAMError) -> Void) -> mam_status {
    do throws(MAMError) {
        let handle = try object(policy, PLATFORM_HANDLE_POLICY, "policy", as: PolicyHandle.self)
        return call(OpaquePointer(bitPattern: handle.session.token), named: "policy") { (session) throws(MAMError) in
            try body(handle, session)
        }
    } catch { return fail(error) }
}

/// Run without a handle.
func call(_ body: () throws(MAMError) -> Void) -> mam_status {
    do throws(MAMError) {
        try body()
        return succeed()
    } catch { return fail(error) }
}

/// The latest call of this thread succeeded.
@inline(__always)
@discardableResult
func succeed() -> mam_status {
    platform_thread_current().pointee.status = 0
    return 0
}

/// The latest call of this thread failed.
@discardableResult
func fail(_ error: MAMError) -> mam_status {
    let json: JSON = [
        "status": .integer(Int64(error.code.rawValue)), "name": .string(error.code.name.map { "\($0)" } ?? "unknown"),
        "message": .string(error.message), "detail": .object(error.detail),
    ]
    platform_thread_fail(error.code.rawValue, copy(Array(error.message.utf8)), copy(json.utf8))
    return error.code.rawValue
}

/// Whether this thread is in a callback of a session.
func isInsideCallback(_ token: UInt) -> Bool {
    var frame = platform_thread_current().pointee.callbacks
    while let current = frame {
        if current.pointee.token == token { return true }
        frame = current.pointee.outer
    }
    return false
}

/// Refuse to wait for a callback that this thread is in.
func refuseInsideCallback(_ token: UInt, _ function: StaticString) throws(MAMError) {
    guard !isInsideCallback(token) else {
        throw MAMError(.deadlock, "\(function) was called from a callback of the same handle, and would wait for it")
    }
}

/// Call a host's function, noting whose callback this thread is in.
func callingBack(_ token: UInt, _ body: () -> Void) {
    let thread = platform_thread_current()
    let frame = platform_callback_t(token: token, outer: thread.pointee.callbacks)
    withUnsafePointer(to: frame) { frame in
        thread.pointee.callbacks = frame
        body()
        thread.pointee.callbacks = frame.pointee.outer
    }
}

/// A host's pointer on its way to the thread that hands it back.
struct HostPointer: @unchecked Sendable {
    // Never followed here: the host promised to keep it alive for any thread.
    let pointer: UnsafeMutableRawPointer?
}
