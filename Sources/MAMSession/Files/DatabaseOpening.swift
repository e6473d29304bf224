/// What holds for an account's databases while they may be used.
struct DatabaseOpening {
    /// Whether new ones are encrypted.
    let isEncrypting: Bool
    /// Whether data may be stored in them: without it existing ones are read, and no new one is made.
    var takesNew = true
    /// Another number whenever the account's keys are others; 0: it has none.
    let keys: UInt64
}
