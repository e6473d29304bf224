import MAMPolicy
import MAMState
import MAMSupport

extension Log {
    /// Maximum number of settings logged per configuration.
    private static let maximumSettings = 100

    /// Write verbose lines with the configurations of accounts that changed since another snapshot, without the values of keys that
    /// are scrubbed.
    func writeConfigurations(of snapshot: Snapshot, since old: Snapshot?) {
        let scrubbed = snapshot.settings.scrubbed
        for account in snapshot.accounts {
            let before = old?.accounts.first { $0.row.id == account.row.id }?.configurations ?? .none
            guard before != account.configurations else { continue }
            for configuration in account.configurations.all {
                for (key, value) in configuration.values.prefix(Log.maximumSettings) {
                    let line = ConfigurationLine.text(
                        account: account.row.id.hex, configuration: ForeignText.quoted(configuration.id),
                        key: ForeignText.quoted(key), value: ForeignText.quoted(value))
                    write(.verbose, scrubbed.applied(to: line))
                }
            }
        }
    }
}
