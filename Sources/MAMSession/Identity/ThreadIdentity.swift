import CPlatform
import MAMSupport

/// The identity that the calling thread carries for one session.
public struct ThreadIdentity {
    let session: UInt

    /// Whom it carries; nil where nothing was pushed. A pushed NULL is `.notGiven`.
    var top: AccountArgument? {
        guard let frame = platform_identity_top(session) else { return nil }
        guard let name = frame.pointee.name else { return .notGiven }
        // It was checked when it was pushed.
        return try? AccountArgument(String(nulTerminated: name))
    }

    /// A frame for a function that is about to run; its number.
    func push(_ argument: AccountArgument, isScoped: Bool) throws(MAMError) -> UInt64 {
        let number =
            if let text = argument.text {
                text.withCString { platform_identity_push(session, $0, isScoped) }
            } else { platform_identity_push(session, nil, isScoped) }
        guard number != 0 else {
            throw MAMError(
                .noSpace, "this thread carries \(PLATFORM_IDENTITY_DEPTH) identities of this handle; pop some")
        }
        return number
    }

    func pop() throws(MAMError) {
        guard platform_identity_pop(session) else {
            throw MAMError(.notFound, "this thread has pushed no identity here that it has not popped again")
        }
    }

    /// The function has returned: what it pushed and did not pop goes too.
    public func unwind(_ number: UInt64) { platform_identity_unwind(session, number) }
    func forget() { platform_identity_forget(session) }
}
