/// The result for a state that is a copy (docs/service.md). It is recorded in any case.
public enum CopyRule: String, CaseIterable, Sendable {
    /// A person signs in, or brings an invitation; the app then goes on under a new device tag.
    case signIn
    /// The app goes on under a new device tag at once.
    case report
    /// As `signIn`, until an administrator confirms that copies of the device are to be wiped: then the account is. Nobody
    /// else can tell a stolen copy from a backup that its owner has put back.
    case wipe
}
