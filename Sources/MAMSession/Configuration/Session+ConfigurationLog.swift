import MAMPolicy
import MAMSupport

extension Session {
    private static let loggedSettings = 100

    /// What of the device's configuration no query can answer.
    func warnOfDeviceConfiguration() {
        for key in settings.device.leftOut.prefix(10) {
            warn(
                "device.managedAppConfig: \(Line.quoted(key)) is left out: a setting has a name, and a text, a boolean or a number",
                [("setting", .string(Line.bounded(key)))])
        }
    }

    /// Verbose lines: what an account is configured with, without what `ValuesToScrubFromLogging` hides.
    func logConfigurations(since old: Snapshot?) {
        let snapshot = lock.held { self.snapshot }
        let hidden = snapshot.settings.strings(SettingKey.valuesToScrubFromLogging)
        for account in snapshot.accounts {
            let before = old?.accounts.first { $0.row.id == account.row.id }?.configurations ?? .none
            guard before != account.configurations else { continue }
            for configuration in account.configurations.all {
                for (key, value) in configuration.values.prefix(Session.loggedSettings) {
                    let isHidden = hidden.contains { $0.utf8.elementsEqual(key.utf8) }
                    log.write(
                        .verbose,
                        "account \(account.row.id.hex), app configuration \(Line.quoted(configuration.id)): "
                            + "\(Line.quoted(key)) is \(isHidden ? "hidden" : Line.quoted(value))")
                }
            }
        }
    }
}
