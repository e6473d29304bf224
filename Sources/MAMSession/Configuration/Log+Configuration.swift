import MAMPolicy
import MAMState
import MAMSupport

extension Log {
    /// Maximum number of settings logged per configuration.
    private static let maximumSettings = 100

    /// Write verbose lines with the configurations of accounts that changed since another snapshot, without the values that
    /// `ValuesToScrubFromLogging` hides.
    func writeConfigurations(of snapshot: Snapshot, since old: Snapshot?) {
        let hidden = snapshot.settings.strings(SettingKey.valuesToScrubFromLogging)
        for account in snapshot.accounts {
            let before = old?.accounts.first { $0.row.id == account.row.id }?.configurations ?? .none
            guard before != account.configurations else { continue }
            for configuration in account.configurations.all {
                for (key, value) in configuration.values.prefix(Log.maximumSettings) {
                    let isHidden = hidden.contains { $0.utf8.elementsEqual(key.utf8) }
                    write(
                        .verbose,
                        "account \(account.row.id.hex), app configuration \(ForeignText.quoted(configuration.id)): "
                            + "\(ForeignText.quoted(key)) is \(isHidden ? "hidden" : ForeignText.quoted(value))")
                }
            }
        }
    }
}
