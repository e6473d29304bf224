import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// The registry of managed apps: entries of other apps, and whether an authority lists them.
extension Policies {
    /// `mam_managed_apps`.
    public func managedApps() throws(MAMError) -> JSON {
        .array(try register(for: managedAccounts(try current())).apps.map(\.json))
    }

    /// `mam_managed_app`.
    public func managedApp(_ query: AppQuery) throws(MAMError) -> JSON {
        let register = try register(for: managedAccounts(try current()))
        return RegisteredApps.json(register.find(query, program: Executable.init))
    }

    /// The managed accounts, whose authorities list managed apps.
    private func managedAccounts(_ snapshot: Snapshot) -> [AccountRowID] {
        snapshot.accounts.filter { $0.policy != nil }.map(\.row.id)
    }

    /// The registry; an app counts as listed if the authority of one of the accounts lists it.
    func register(for accounts: [AccountRowID]) throws(MAMError) -> RegisteredApps {
        let (entries, lists) = try state.read { (view, _) throws(MAMError) in
            (try view.apps.all(), accounts.compactMap { TargetedApps(json: view.apps.listed(for: $0)) })
        }
        return RegisteredApps(
            entries.map { id, value in
                let entry = try? ManagedApp(json: value.get())
                let programs = entry?.executables.filter { known in
                    known.runsOthers || Executable(at: known.path)?.isSameFile(as: known) == true
                }
                return RegisteredApp(
                    id: id, entry: entry, isListed: accounts.isEmpty ? nil : lists.contains { $0.contains(id) },
                    programs: programs ?? [])
            })
    }
}
