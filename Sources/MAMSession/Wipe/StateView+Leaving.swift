import MAMPolicy
import MAMState
import MAMSupport

/// Values that are removed when an account leaves, in the transaction of its wipe or unenrollment.
extension StateView {
    /// Remove an account without a policy from the registry of managed apps, and the app too if it has no other account.
    func leaveRegistry(_ id: AccountRowID) throws(MAMError) {
        guard let own = apps.own() else { return }
        if let rest = ManagedApp(json: own)?.without(account: id.hex) {
            if rest.json != own { try apps.enter(rest.json) }
        } else {
            try apps.leave()
        }
        try apps.list(nil, for: id)
    }

    /// Remove the overrides of the sign-in settings, unless another account is enrolled.
    func forgetSignIn(leaving: AccountRowID) throws(MAMError) {
        for case .open(let row) in try accounts.all()
        where row.id != leaving && row.record.state == EnrollmentState.enrolled.rawValue {
            return
        }
        for name in SettingKey.signIn { try overrides.set(name, to: nil) }
    }

    /// Retire the names of a wiped account, except names under which another account was enrolled since.
    func retireNames(of entry: WipeEntry) throws(MAMError) {
        var taken: [[UInt8]] = []
        for case .open(let row) in try accounts.all()
        where row.id != entry.account && row.record.state == EnrollmentState.enrolled.rawValue {
            taken += row.record.allNames.map { Identity.fold($0) }
        }
        try names.retire(entry.allNames.filter { !taken.contains(Identity.fold($0)) })
    }
}
