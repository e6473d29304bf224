import MAMSupport

/// The app configurations that the authority sent for an account, sealed under the account's key.
public struct ConfigurationStore {
    private let accounts: AccountStore
    private let value: AccountValue

    init(view: StateView) {
        accounts = view.accounts
        value = AccountValue(database: view.database, table: "configurations")
    }

    /// The latest configurations, in the order of the authority. Fails with `.tampered` where their row is missing.
    public func load(of account: AccountRow) throws(MAMError) -> [JSON] {
        guard let stored = try value.load(of: account) else {
            // An account of an older release has no row until its next check-in.
            guard !account.record.hasConfigurations else { throw ConfigurationStore.missing }
            return []
        }
        return stored.array ?? []
    }

    /// Store configurations. They replace a row that does not verify, so that a check-in repairs it.
    public func store(_ configurations: [JSON], of account: AccountRow) throws(MAMError) {
        try value.store(.array(configurations), of: account)
        try setHasConfigurations(!configurations.isEmpty, of: account)
    }

    /// Delete the configurations.
    public func forget(of account: AccountRow) throws(MAMError) {
        try value.forget(of: account.id)
        try setHasConfigurations(false, of: account)
    }

    private func setHasConfigurations(_ has: Bool, of account: AccountRow) throws(MAMError) {
        try accounts.change(account) { $0.hasConfigurations = has }
    }

    private static let missing = MAMError(
        .tampered,
        "the account's app configurations are missing in the state: they were removed outside libmam; a check-in brings them back",
        [("table", "configurations")])
}
