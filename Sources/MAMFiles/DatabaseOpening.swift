/// How an account's databases are opened while they may be used.
public struct DatabaseOpening: Sendable {
    let isEncrypting: Bool
    let takesNew: Bool
    /// Another number whenever the account's keys are others; 0: it has none.
    public let keys: UInt64

    /// `isEncrypting`: new ones are encrypted. Without `takesNew` existing ones are read, and no new one is made. `keys`: another
    /// number whenever the account's keys are others; 0: it has none.
    public init(isEncrypting: Bool, takesNew: Bool = true, keys: UInt64) {
        (self.isEncrypting, self.takesNew, self.keys) = (isEncrypting, takesNew, keys)
    }
}
