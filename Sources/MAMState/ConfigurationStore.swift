import MAMSupport

/// The app configurations that the authority sent for an account, sealed under the account's key.
public struct ConfigurationStore {
    private let accounts: AccountStore
    private let value: AccountValue

    init(view: StateView) {
        accounts = view.accounts
        value = AccountValue(database: view.database, table: "configurations")
    }

    /// What was sent last, in its order. `.tampered` where the account had some and its row is not there.
    public func load(of account: AccountRow) throws(MAMError) -> [JSON] {
        guard let stored = try value.load(of: account) else {
            // An account of an older release has no row, and never had anything.
            guard !account.record.hasConfigurations else { throw ConfigurationStore.missing }
            return []
        }
        return stored.array ?? []
    }

    /// Keep what was sent. What does not verify is replaced: a successful check-in mends it.
    public func store(_ configurations: [JSON], of account: AccountRow) throws(MAMError) {
        try value.store(.array(configurations), of: account)
        try note(!configurations.isEmpty, of: account)
    }

    /// As if nothing ever was sent.
    public func forget(of account: AccountRow) throws(MAMError) {
        try value.forget(of: account.id)
        try note(false, of: account)
    }

    private func note(_ has: Bool, of account: AccountRow) throws(MAMError) {
        try accounts.change(account) { $0.hasConfigurations = has }
    }

    private static let missing = MAMError(
        .tampered,
        "the account's app configurations are missing in the state: they were removed outside libmam; a check-in brings them back",
        [("table", "configurations")])
}
