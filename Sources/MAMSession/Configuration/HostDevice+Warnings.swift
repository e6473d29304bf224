import MAMPolicy
import MAMSupport

extension HostDevice {
    /// Warnings about values of the device's app configuration that are not understood, and about settings that no query returns. Values
    /// are in verbose lines of the log only.
    var configurationWarnings: [(message: String, setting: String)] {
        var warnings: [(message: String, setting: String)] = []
        if DeviceAccounts.restriction(managedAppConfig) == nil {
            let key = DeviceAccounts.restrictionKey
            warnings.append(
                (
                    "device.managedAppConfig.\(key) has a value that is not understood and counts as Enabled: only the accounts of IntuneMAMUPN and IntuneMAMOID may be used; say Enabled or Disabled",
                    "device.managedAppConfig.\(key)"
                ))
        }
        for key in DeviceAccounts.nameKeys {
            guard let value = managedAppConfig?[key], !value.isNull, value.string == nil else { continue }
            warnings.append(
                (
                    "device.managedAppConfig.\(key) has a value that is no text and counts as its JSON text: other accounts are refused; give a text",
                    "device.managedAppConfig.\(key)"
                ))
        }
        for (key, meant) in DeviceAccounts.misspeltKeys(managedAppConfig).prefix(10) {
            warnings.append(
                (
                    "device.managedAppConfig.\(ForeignText.bounded(key)) is not read: say \(meant)",
                    "device.managedAppConfig.\(ForeignText.bounded(key))"
                ))
        }
        for key in leftOut.prefix(10) {
            warnings.append(
                (
                    "device.managedAppConfig: \(ForeignText.quoted(key)) is left out: a setting has a name, and a text, a boolean or a number",
                    ForeignText.bounded(key)
                ))
        }
        return warnings
    }
}
