/// What a `mam_identity_t` stands for: the identity of one thread, for work that runs elsewhere.
public final class CapturedIdentity: Sendable {
    /// The session that it belongs to.
    public let session: Session
    /// Whom it carries.
    public let argument: AccountArgument

    init(session: Session, argument: AccountArgument) {
        self.session = session
        self.argument = argument
    }
}

extension Session {
    /// `mam_identity_capture`.
    public func captureIdentity() -> CapturedIdentity {
        CapturedIdentity(session: self, argument: threadIdentity.top ?? .notGiven)
    }
}
