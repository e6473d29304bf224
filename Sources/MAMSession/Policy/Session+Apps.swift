import CPlatform
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// The registry of managed apps: what this app writes of itself, and what it believes of others.
extension Session {
    /// Whether the registry says already what a check-in brought.
    func isEntered(_ view: StateView, _ account: ManagedApp.Account, _ id: AccountRowID, _ apps: ReachedApps) -> Bool {
        guard let own = view.apps.own(), view.apps.listed(for: id) == apps.json else { return false }
        return (ManagedApp(json: own) ?? ManagedApp()).with(account, by: Session.ownProgram()).json == own
    }

    /// Enter this app with an account that has policy.
    func enter(
        _ view: StateView, _ account: ManagedApp.Account, _ id: AccountRowID, _ apps: ReachedApps
    ) throws(MAMError) {
        let own = view.apps.own().flatMap { ManagedApp(json: $0) } ?? ManagedApp()
        try view.apps.enter(own.with(account, by: Session.ownProgram()).json)
        try view.apps.list(apps.json, for: id)
    }

    /// An account has no policy any more: without any the app leaves the registry.
    func leave(_ view: StateView, _ id: AccountRowID) throws(MAMError) {
        guard let own = view.apps.own() else { return }
        if let rest = ManagedApp(json: own)?.without(account: id.hex) {
            if rest.json != own { try view.apps.enter(rest.json) }
        } else {
            try view.apps.leave()
        }
        try view.apps.list(nil, for: id)
    }

    /// `mam_managed_apps`.
    public func managedApps() throws(MAMError) -> JSON {
        .array(try register(for: managedAccounts(try current())).apps.map(\.json))
    }

    /// `mam_managed_app`.
    public func managedApp(_ query: AppQuery) throws(MAMError) -> JSON {
        let register = try register(for: managedAccounts(try current()))
        return AppRegister.json(register.find(query, program: Session.program))
    }

    /// The accounts whose authority is asked who is managed.
    private func managedAccounts(_ snapshot: Snapshot) -> [AccountRowID] {
        snapshot.accounts.filter { $0.policy != nil }.map(\.row.id)
    }

    /// The registry, believed as far as the authority vouches for the apps of one of the accounts.
    func register(for accounts: [AccountRowID]) throws(MAMError) -> AppRegister {
        let (entries, lists) = try state.read { (view, _) throws(MAMError) in
            (try view.apps.all(), accounts.compactMap { ReachedApps(json: view.apps.listed(for: $0)) })
        }
        return AppRegister(
            entries.map { id, value in
                let entry = try? ManagedApp(json: value.get())
                let programs = entry?.executables.filter { known in
                    known.runsOthers || Session.program(at: known.path)?.isSameFile(as: known) == true
                }
                return RegisteredApp(
                    id: id, entry: entry, isListed: lists.contains { $0.contains(id) }, programs: programs ?? [])
            })
    }

    // MARK: Programs

    /// The program that this process runs.
    static func ownProgram() -> Executable? { program(of: 0) }

    /// Which file a path or a process is.
    static func program(_ name: AppQuery.Name) -> Executable? {
        switch name {
        case .executable(let path): program(at: path)
        case .process(let pid): program(of: pid)
        case .app, .scheme: nil
        }
    }

    private static func program(at path: String) -> Executable? {
        var facts = platform_executable_t()
        guard platform_executable_at(path, &facts) == 0 else { return nil }
        return executable(path, facts)
    }

    private static func program(of pid: Int32) -> Executable? {
        var facts = platform_executable_t()
        var length: Int32 = 0
        let path = [UInt8](unsafeUninitializedCapacity: Int(PLATFORM_PATH_BYTES)) { room, count in
            guard let start = room.baseAddress, platform_executable_of(pid, start, &length, &facts) == 0 else { return }
            count = Int(length)
        }
        return path.isEmpty ? nil : executable(String(decoding: path, as: UTF8.self), facts)
    }

    private static func executable(_ path: String, _ facts: platform_executable_t) -> Executable {
        Executable(
            path: path, inode: Int64(truncatingIfNeeded: facts.inode), size: facts.size, changed: facts.changed)
    }
}
