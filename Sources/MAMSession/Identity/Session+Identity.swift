import MAMPolicy
import MAMState
import MAMSupport

extension Session {
    /// What an identity is wanted for: `MAM_TASK_*`.
    public enum Task: Int32, Sendable { case ui = 0, file }

    /// What the calling thread carries on this session.
    public var threadIdentity: ThreadIdentity { ThreadIdentity(session: token) }

    /// `mam_push_thread_identity`.
    public func pushThreadIdentity(_ argument: AccountArgument) throws(MAMError) {
        _ = try pushScoped(argument, isScoped: false)
    }

    /// The same, for a function that runs; the number is for ``ThreadIdentity/unwind(_:)``.
    public func pushScoped(_ argument: AccountArgument, isScoped: Bool = true) throws(MAMError) -> UInt64 {
        guard case .named = argument else { return try threadIdentity.push(argument, isScoped: isScoped) }
        let snapshot = try current()
        try checkKnown(argument, snapshot)
        return try threadIdentity.push(snapshot.stable(argument), isScoped: isScoped)
    }

    /// `mam_pop_thread_identity`.
    public func popThreadIdentity() throws(MAMError) { try threadIdentity.pop() }

    /// `mam_set_process_identity`; NULL takes back what was set.
    public func setProcessIdentity(_ argument: AccountArgument) throws(MAMError) {
        let snapshot = try current()
        try checkKnown(argument, snapshot)
        let stable = snapshot.stable(argument)
        lock.held { ownProcessIdentity = stable }
    }

    /// `mam_process_identity`.
    public func processIdentity() throws(MAMError) -> JSON {
        let snapshot = try current()
        return json(Identities(processIdentity(snapshot)), snapshot)
    }

    /// What the host set, else in a single-identity host the one enrolled account.
    func processIdentity(_ snapshot: Snapshot) -> AccountArgument {
        let own = lock.held { ownProcessIdentity }
        guard case .notGiven = own, !snapshot.settings.bool(SettingKey.multiIdentity) else { return own }
        let enrolled = snapshot.accounts.filter(\.isEnrolled)
        guard enrolled.count == 1, let name = enrolled.first?.accountId, let identity = try? Identity(name) else {
            return .notGiven
        }
        return .named(identity)
    }

    /// Enrolled accounts that the host uses: those of the process identity and of every window. In a host with one identity that
    /// has set nothing, every one of them.
    func accountsInUse(_ snapshot: Snapshot) -> Set<AccountRowID> {
        let enrolled = snapshot.accounts.filter(\.isEnrolled)
        let process = processIdentity(snapshot)
        let shown = lock.held { windows.names }
        if case .notGiven = process, shown == nil, !snapshot.settings.bool(SettingKey.multiIdentity) {
            return Set(enrolled.map(\.row.id))
        }
        let names = (process.identity.map { [$0] } ?? []) + (shown ?? [])
        return Set(names.compactMap { snapshot.find($0) }.filter(\.isEnrolled).map(\.row.id))
    }

    /// Whom the calling thread acts for: its own identity, for a UI task the window's or the default window's, the process's.
    func effective(_ task: Task, _ window: Window, _ snapshot: Snapshot) -> Identities {
        if let own = threadIdentity.top, own != .notGiven { return Identities(own) }
        if task == .ui {
            let shown = lock.held { () -> Identities in
                let shown = windows[window]
                return shown.members == nil ? windows[.standard] : shown
            }
            if shown.members != nil { return shown }
        }
        return Identities(processIdentity(snapshot))
    }

    /// `mam_effective_identity`: null, "" or a name; an array where a window shows several.
    public func effectiveIdentity(_ task: Task, _ window: Window) throws(MAMError) -> JSON {
        let snapshot = try current()
        return json(effective(task, window, snapshot), snapshot)
    }

    /// `mam_ui_identity`: what was set for this very window, as an array; null where nothing was.
    public func uiIdentity(_ window: Window) throws(MAMError) -> JSON {
        let snapshot = try current()
        guard let members = lock.held({ windows[window] }).members else { return .null }
        return .strings(members.map { shownName($0, snapshot) })
    }

    /// `mam_is_account_managed`.
    public func isManaged(_ argument: AccountArgument) throws(MAMError) -> Bool {
        let snapshot = try current()
        try checkKnown(argument, snapshot)
        if case .managed = side(of: argument, snapshot) { return true }
        return false
    }

    /// `mam_is_management_enabled`: whether policy is applied or required.
    public func isManagementEnabled() throws(MAMError) -> Bool {
        let snapshot = try current()
        return isPolicyApplied(snapshot) || snapshot.settings.bool(SettingKey.policyRequired)
    }

    /// `mam_policy_source`.
    public func policySource() throws(MAMError) -> Int32 {
        let snapshot = try current()
        return snapshot.accounts.contains(where: \.isTest) ? 3 : isPolicyApplied(snapshot) ? 1 : 2
    }

    private func isPolicyApplied(_ snapshot: Snapshot) -> Bool {
        snapshot.accounts.contains { $0.policy != nil } || snapshot.wipes.contains { $0.step < .removed }
            || !snapshot.closed.isEmpty
    }

    /// `mam_identity_equal`.
    public func isEqual(_ a: AccountArgument, _ b: AccountArgument) throws(MAMError) -> Bool {
        if a == b { return true }
        guard let x = a.identity, let y = b.identity else { return false }
        return isSame(x, y, try current())
    }

    /// Whether two names mean one account, as far as is known.
    func isSame(_ a: Identity, _ b: Identity, _ snapshot: Snapshot) -> Bool {
        if a == b { return true }
        if let account = snapshot.find(a) { return snapshot.find(b) === account }
        return snapshot.wipes.contains { $0.isOf(a) && $0.isOf(b) }
    }

    /// The object id of a known account, else the name as it was given.
    func shownName(_ argument: AccountArgument, _ snapshot: Snapshot) -> String {
        guard let identity = argument.identity else { return "" }
        return snapshot.find(identity)?.accountId ?? identity.text
    }

    func json(_ identities: Identities, _ snapshot: Snapshot) -> JSON {
        guard let members = identities.members else { return .null }
        let names = members.map { JSON.string(shownName($0, snapshot)) }
        return names.count == 1 ? names[0] : .array(names)
    }
}
