import MAMPolicy
import MAMState
import MAMSupport

/// The use of an identity: `MAM_TASK_*`.
public enum IdentityTask: Int32, Sendable { case ui = 0, file }

/// The identities in effect: of the calling thread, of the process, and of each window.
public final class CurrentIdentities: SessionService, FileIdentities, WindowIdentities, WindowSwitching, Sendable {
    let context: SessionContext
    private let windows = Locked(WindowTable())
    /// The identity that the host set for the process.
    private let ownProcessIdentity = Locked(AccountArgument.notGiven)

    init(_ context: SessionContext) { self.context = context }

    // MARK: Thread

    /// The identity that the calling thread carries in this session.
    public var threadIdentity: ThreadIdentity { ThreadIdentity(sessionToken: context.token) }

    /// `mam_push_thread_identity`.
    public func pushThreadIdentity(_ argument: AccountArgument) throws(MAMError) {
        _ = try pushScoped(argument, isScoped: false)
    }

    /// The same for the duration of a function; returns the number for ``ThreadIdentity/unwind(_:)``.
    public func pushScoped(_ argument: AccountArgument, isScoped: Bool = true) throws(MAMError) -> UInt64 {
        guard case .named = argument else { return try threadIdentity.push(argument, isScoped: isScoped) }
        let snapshot = try current()
        try snapshot.checkKnown(argument)
        return try threadIdentity.push(snapshot.stable(argument), isScoped: isScoped)
    }

    /// `mam_pop_thread_identity`.
    public func popThreadIdentity() throws(MAMError) { try threadIdentity.pop() }

    /// `mam_identity_capture`.
    public func capture() -> CapturedIdentity {
        CapturedIdentity(sessionToken: context.token, argument: threadIdentity.top ?? .notGiven)
    }

    // MARK: Process

    /// `mam_set_process_identity`; NULL clears it.
    public func setProcessIdentity(_ argument: AccountArgument) throws(MAMError) {
        let snapshot = try current()
        try snapshot.checkKnown(argument)
        let stable = snapshot.stable(argument)
        ownProcessIdentity.withLock { $0 = stable }
    }

    /// `mam_process_identity`.
    public func processIdentity() throws(MAMError) -> JSON {
        let snapshot = try current()
        return snapshot.json(IdentitySet(processIdentity(snapshot)))
    }

    /// The identity that the host set, else in a single-identity host the one enrolled account.
    func processIdentity(_ snapshot: Snapshot) -> AccountArgument {
        let own = ownProcessIdentity.withLock { $0 }
        guard case .notGiven = own, !snapshot.settings.bool(SettingKey.multiIdentity) else { return own }
        let enrolled = snapshot.accounts.filter(\.isEnrolled)
        guard enrolled.count == 1, let name = enrolled.first?.accountId, let identity = try? Identity(name) else {
            return .notGiven
        }
        return .named(identity)
    }

    // MARK: Windows

    /// `mam_ui_identity`: returns the identities set for this window as an array; null if none are set.
    public func uiIdentity(_ window: Window) throws(MAMError) -> JSON {
        let snapshot = try current()
        guard let members = windows.withLock({ $0[window] }).members else { return .null }
        return .strings(members.map { snapshot.shownName(of: $0) })
    }

    /// Fail where a window's identities cannot be remembered.
    func checkRoom(for window: Window, _ identities: IdentitySet) throws(MAMError) {
        guard windows.withLock({ $0.hasRoom(for: window, identities) }) else {
            throw MAMError(.noSpace, WindowTable.fullMessage)
        }
    }

    /// Set the identities that a window shows, by a snapshot that allows them.
    func set(_ identities: IdentitySet, of window: Window, by snapshot: Snapshot) -> WindowChange {
        windows.withLock { windows in
            // The publisher of a snapshot updates the windows afterwards: either it sees this change, or this thread sees the
            // snapshot.
            guard snapshots.latest.generationWord == snapshot.generationWord else { return .isOutdated }
            guard windows.hasRoom(for: window, identities) else { return .hasNoRoom }
            windows.set(identities, of: window)
            return .made
        }
    }

    /// The windows that show an account.
    func windows(showing account: Account) -> [Window] { windows.withLock { $0.windows(showing: account.hasName) } }

    /// Stop showing an account in a window; a window that shows nobody else then shows no user.
    func hide(_ account: Account, in window: Window) { windows.withLock { $0.remove(from: window, account.hasName) } }

    /// Show no user in a window.
    func clear(_ window: Window) { windows.withLock { $0.set(.noUser, of: window) } }

    /// Follow a published snapshot: renamed accounts, and accounts that are not managed any more.
    func follow(from old: Snapshot, to new: Snapshot) {
        ownProcessIdentity.withLock { $0 = new.stable($0) }
        windows.withLock { windows in
            windows.followNames(new)
            let isLost = { (identity: Identity) in new.hasLost(identity, since: old) }
            for window in windows.windows(showing: isLost) { windows.remove(from: window, isLost) }
        }
    }

    var locks: [any ForkAware] { [windows, ownProcessIdentity] }

    // MARK: In effect

    /// The identities that the calling thread acts for: its own, for a UI task the window's or the default window's, the process's.
    func effective(_ task: IdentityTask, _ window: Window, _ snapshot: Snapshot) -> IdentitySet {
        if let own = threadIdentity.top, own != .notGiven { return IdentitySet(own) }
        if task == .ui {
            let shown = windows.withLock { windows -> IdentitySet in
                let shown = windows[window]
                return shown.members == nil ? windows[.standard] : shown
            }
            if shown.members != nil { return shown }
        }
        return IdentitySet(processIdentity(snapshot))
    }

    /// `mam_effective_identity`: null, "" or a name; an array where a window shows several.
    public func effectiveIdentity(_ task: IdentityTask, _ window: Window) throws(MAMError) -> JSON {
        let snapshot = try current()
        return snapshot.json(effective(task, window, snapshot))
    }

    /// The enrolled accounts in use: those of the process identity and of every window. In a host with one identity that has set
    /// nothing, every enrolled account.
    func accountsInUse(_ snapshot: Snapshot) -> Set<AccountRowID> {
        let enrolled = snapshot.accounts.filter(\.isEnrolled)
        let process = processIdentity(snapshot)
        let shown = windows.withLock { $0.names }
        if case .notGiven = process, shown == nil, !snapshot.settings.bool(SettingKey.multiIdentity) {
            return Set(enrolled.map(\.row.id))
        }
        let names = (process.identity.map { [$0] } ?? []) + (shown ?? [])
        return Set(names.compactMap { snapshot.find($0) }.filter(\.isEnrolled).map(\.row.id))
    }
}
