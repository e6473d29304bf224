import CHandles
import CMam
import MAMSession
import MAMSupport

/// Converts `MAMError` to a status and the thread's last error. All functions of mam.h use these.

/// Calls `body` with a session; the caller has set the outputs to NULL or 0. `countsAsUse`: whether the call counts as use of the
/// host. Calls that only wait, or let libmam work, do not.
func call(
    _ m: OpaquePointer?, named argument: String = "m", countsAsUse: Bool = true,
    _ body: (Session) throws(MAMError) -> Void
) -> mam_status {
    var language: Language?
    do throws(MAMError) {
        try withObject(m, HANDLE_SESSION, argument) { (session: Session) throws(MAMError) in
            language = session.language
            if countsAsUse { session.recordUse() }
            try body(session)
        }
        return succeed()
    } catch { return fail(error, in: language) }
}

/// Calls `body` while an object's session is open; the call counts as use of the host.
func withOpenSession(
    _ sessionToken: UInt, _ argument: String, _ body: () throws(MAMError) -> Void
) throws(MAMError) {
    try withObject(OpaquePointer(bitPattern: sessionToken), HANDLE_SESSION, argument) {
        (session: Session) throws(MAMError) in
        session.recordUse()
        try body()
    }
}

/// Calls `body` with a policy handle and its session.
func call(_ policy: OpaquePointer?, _ body: (PolicyHandle, Session) throws(MAMError) -> Void) -> mam_status {
    do throws(MAMError) {
        let handle = try retainedObject(policy, HANDLE_POLICY, "policy", as: PolicyHandle.self)
        return call(OpaquePointer(bitPattern: handle.session.token), named: "policy") { (session) throws(MAMError) in
            try body(handle, session)
        }
    } catch { return fail(error) }
}

/// Calls `body` without a handle.
func call(_ body: () throws(MAMError) -> Void) -> mam_status {
    do throws(MAMError) {
        try body()
        return succeed()
    } catch { return fail(error) }
}

/// Calls `body`, which reads what the host holds: a success leaves the thread's last error, so that a host may read before it
/// reports. Returns false after a failure.
func read(_ body: () throws(MAMError) -> Void) -> Bool {
    do throws(MAMError) {
        try body()
        return true
    } catch {
        fail(error)
        return false
    }
}

/// Records that this thread's latest call succeeded.
@inline(__always)
@discardableResult
func succeed() -> mam_status {
    thread_state_current().pointee.status = 0
    return 0
}

/// Records the error of this thread's latest call; without a session, `language` is nil: the process's.
@discardableResult
func fail(_ error: MAMError, in language: Language? = nil) -> mam_status {
    error.becomeLast(in: language)
    return error.code.rawValue
}

/// Returns whether this thread is in a callback of a handle.
func isInsideCallback(_ token: UInt) -> Bool {
    var frame = thread_state_current().pointee.callbacks
    while let current = frame {
        if current.pointee.token == token { return true }
        frame = current.pointee.outer
    }
    return false
}

/// Fails if the function would wait for a callback that this thread is in.
func refuseInsideCallback(_ token: UInt, _ function: StaticString) throws(MAMError) {
    guard !isInsideCallback(token) else {
        throw MAMError(.deadlock, "\(function) was called from a callback of the same handle, and would wait for it")
    }
}

/// Calls a host's function, and records the handle that this thread is in a callback of.
func callingBack(_ token: UInt, _ body: () -> Void) {
    let thread = thread_state_current()
    let frame = thread_callback_t(token: token, outer: thread.pointee.callbacks)
    withUnsafePointer(to: frame) { frame in
        thread.pointee.callbacks = frame
        body()
        thread.pointee.callbacks = frame.pointee.outer
    }
}

/// A host's pointer that is passed back to it on another thread.
struct HostPointer: @unchecked Sendable {
    // Never dereferenced here: the host keeps it valid for any thread.
    let pointer: UnsafeMutableRawPointer?
}
