import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// This app's entry in the registry of managed apps.
extension StateView {
    /// Whether the registry already has an account and its list of apps.
    func isEntered(_ account: ManagedApp.Account, _ id: AccountRowID, _ targets: TargetedApps, by program: Executable?)
        -> Bool
    {
        guard let own = apps.own(), apps.listed(for: id) == targets.json else { return false }
        return (ManagedApp(json: own) ?? ManagedApp()).with(account, by: program).json == own
    }

    /// Enter this app with an account that has a policy.
    func enter(
        _ account: ManagedApp.Account, _ id: AccountRowID, _ targets: TargetedApps, by program: Executable?
    ) throws(MAMError) {
        let own = apps.own().flatMap { ManagedApp(json: $0) } ?? ManagedApp()
        try apps.enter(own.with(account, by: program).json)
        try apps.list(targets.json, for: id)
    }
}
