/// A `mam_identity_t`: the identity of one thread, for work that runs on another.
public final class CapturedIdentity: Sendable {
    /// The token of its session.
    public let session: UInt
    /// The captured identity.
    public let argument: AccountArgument

    init(session: UInt, argument: AccountArgument) {
        self.session = session
        self.argument = argument
    }
}
