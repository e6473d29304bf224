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

    /// Where people sign in was set for the account that is leaving: unless another is managed, it goes with it.
    func forgetSignIn(_ view: StateView, leaving: AccountRowID) throws(MAMError) {
        for case .open(let row) in try view.accounts.all()
        where row.id != leaving && row.record.state == EnrollmentState.enrolled.rawValue {
            return
        }
        for name in SettingKey.signIn { try view.overrides.set(name, to: nil) }
    }
}
