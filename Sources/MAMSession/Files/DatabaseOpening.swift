/// What holds for an account's databases while they may be used.
struct DatabaseOpening {
    /// Whether new ones are encrypted.
    let isEncrypting: Bool
    /// Whether new ones may be made.
    var takesNew = true
    /// Another number whenever the account's keys are others; 0: it has none.
    let keys: UInt64
}
