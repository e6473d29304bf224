import CHandles
import MAMSupport

/// The identity that the calling thread carries for one session.
public struct ThreadIdentity {
    let sessionToken: UInt

    /// The top identity; nil where nothing was pushed. A pushed NULL is `.notGiven`.
    var top: AccountArgument? {
        guard let frame = thread_identity_top(sessionToken) else { return nil }
        guard let name = frame.pointee.name else { return .notGiven }
        // The names were checked when they were pushed.
        guard let given = frame.pointee.given else { return try? AccountArgument(String(repairing: name)) }
        return (try? Identity(String(repairing: given)).replaced(by: String(repairing: name))).map { .named($0) }
    }

    /// Push a frame; returns its number.
    func push(_ argument: AccountArgument, isScoped: Bool) throws(MAMError) -> UInt64 {
        let number = thread_identity_push(sessionToken, argument.text, argument.identity?.given, isScoped)
        guard number != 0 else {
            throw MAMError(
                .noSpace, "this thread carries \(THREAD_IDENTITY_DEPTH) identities of this handle; pop some")
        }
        return number
    }

    func pop() throws(MAMError) {
        guard thread_identity_pop(sessionToken) else {
            throw MAMError(.notFound, "this thread has pushed no identity here that it has not popped again")
        }
    }

    /// Remove a frame and everything pushed after it: its function has returned.
    public func unwind(_ number: UInt64) { thread_identity_unwind(sessionToken, number) }
    func forget() { thread_identity_forget(sessionToken) }
}
