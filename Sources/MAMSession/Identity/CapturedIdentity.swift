/// A `mam_identity_t`: the identity of one thread, for work that runs on another.
public final class CapturedIdentity: Sendable {
    /// The token of its session.
    public let sessionToken: UInt
    /// The captured identity.
    public let argument: AccountArgument

    init(sessionToken: UInt, argument: AccountArgument) {
        self.sessionToken = sessionToken
        self.argument = argument
    }
}
