import MAMPolicy
import MAMState
import MAMSupport

extension Session {
    /// What of the given settings somebody should know.
    func warnOfSettings() {
        for warning in settings.settings.warnings {
            warn(warning.message, [("setting", .string(warning.setting))])
        }
    }

    /// Where and as which app a host signs people in, for the questions that ask it to.
    var signingIn: [(key: String, value: JSON)] {
        let settings = snapshots.latest.settings
        let scheme = settings.string(SettingKey.redirectScheme).map { "\($0)://\(self.settings.managedApp)" }
        return [
            ("authority", .optional(settings.string(SettingKey.authority))),
            ("clientId", .optional(settings.string(SettingKey.clientId))),
            ("redirectUri", .optional(settings.string(SettingKey.redirectUri) ?? scheme)),
        ]
    }

    /// Where people sign in was set for the account that is leaving: unless another is managed, it goes with it.
    func forgetSignIn(_ view: StateView, leaving: AccountRowID) throws(MAMError) {
        for case .open(let row) in try view.accounts.all()
        where row.id != leaving && row.record.state == EnrollmentState.enrolled.rawValue {
            return
        }
        for name in SettingKey.signIn { try view.overrides.set(name, to: nil) }
    }
}
