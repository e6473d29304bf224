import MAMPolicy
import MAMSupport

extension Session {
    private static let loggedSettings = 100

    /// Warn of what is not understood in the device's app configuration, and of what no query can answer.
    func warnOfDeviceConfiguration(_ device: HostDevice) {
        if DeviceAccounts.restriction(device.managedAppConfig) == nil {
            let key = DeviceAccounts.restrictionKey
            warn(
                "device.managedAppConfig.\(key) is \(Line.bounded(device.managedAppConfig?[key]?.text ?? "")), which is not understood and counts as Enabled: only the accounts of IntuneMAMUPN and IntuneMAMOID may be used; say Enabled or Disabled",
                [("setting", .string("device.managedAppConfig.\(key)"))])
        }
        for key in DeviceAccounts.nameKeys {
            guard let value = device.managedAppConfig?[key], !value.isNull, value.string == nil else { continue }
            warn(
                "device.managedAppConfig.\(key) is \(Line.bounded(value.text)), which is no text and counts as its JSON text: other accounts are refused; give a text",
                [("setting", .string("device.managedAppConfig.\(key)"))])
        }
        for (key, meant) in DeviceAccounts.misspeltKeys(device.managedAppConfig).prefix(10) {
            warn(
                "device.managedAppConfig.\(Line.bounded(key)) is not read: say \(meant)",
                [("setting", .string("device.managedAppConfig.\(Line.bounded(key))"))])
        }
        for key in device.leftOut.prefix(10) {
            warn(
                "device.managedAppConfig: \(Line.quoted(key)) is left out: a setting has a name, and a text, a boolean or a number",
                [("setting", .string(Line.bounded(key)))])
        }
    }

    /// Verbose lines: what an account is configured with, without what `ValuesToScrubFromLogging` hides.
    func logConfigurations(since old: Snapshot?) {
        let snapshot = snapshots.latest
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
