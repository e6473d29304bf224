/// How an account's databases may be opened.
public struct DatabaseAccess: Sendable {
    let encryptsNew: Bool
    let allowsNew: Bool
    /// A number that changes with the account's newest key; 0 without one.
    public let keyVersion: UInt64

    /// Whether it depends on the lock of the screen, so that it is refreshed every second and when a database is opened.
    let followsScreen: Bool

    /// `encryptsNew` encrypts new databases. Without `allowsNew` no new ones are created.
    public init(encryptsNew: Bool, allowsNew: Bool = true, keyVersion: UInt64, followsScreen: Bool = false) {
        (self.encryptsNew, self.allowsNew, self.keyVersion) = (encryptsNew, allowsNew, keyVersion)
        self.followsScreen = followsScreen
    }
}
