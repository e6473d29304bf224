import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// A part of the session that depends on the stated device.
protocol DeviceFollowing: AnyObject, Sendable {
    /// Discard readings of the former device.
    func forget()
}

/// The host's statements about the device, and the accounts that may be used on it. A session without a statement (a tool's, for
/// example) follows the statements of others.
///
/// ``HostDevice``: one statement as given. ``StatedDevice``: its stored part that overrides readings. ``KnownDevice``: all stored
/// statements at a generation.
public final class DeviceStatements: SessionService, Sendable {
    let context: SessionContext
    let health: any DeviceFollowing
    private let statements: Locked<Statements>
    /// Held while the host states the device; taken before a load.
    let stating = Lock()

    private struct Statements {
        /// This session's own statement; nil if there is none.
        var own: HostDevice?
        /// The device's accounts last announced to the host, as stored in the state; nil after a later announcement that is
        /// not stored yet.
        var announced: DeviceAccounts?
    }

    init(_ context: SessionContext, _ health: any DeviceFollowing, announced: DeviceAccounts) {
        (self.context, self.health) = (context, health)
        statements = Locked(Statements(own: context.settings.givenDevice, announced: announced))
    }

    /// This session's own statement.
    var own: HostDevice? { statements.withLock { $0.own } }

    /// The locks that are taken within a load.
    var locks: [any ForkAware] { [statements] }

    /// At open, store the host's statement if there is one. Returns the device's accounts last announced to the host of this app.
    static func storeGiven(_ state: State, _ settings: OpenSettings) throws(MAMError) -> DeviceAccounts {
        let given = settings.givenDevice
        let (announced, isCurrent) = try state.read { (view, _) throws(MAMError) in
            (
                try KnownDevice.announced(view),
                try given.map { (one) throws(MAMError) in try KnownDevice.isCurrent(one, view) }
            )
        }
        if let given, isCurrent == false {
            try state.commitForAll { (view) throws(MAMError) in try KnownDevice.store(given, view) }
        }
        return announced
    }

    /// `mam_set_device`; nil withdraws the statement.
    public func setDevice(_ json: JSON?) throws(MAMError) {
        if let containing = settings.containingApp {
            throw MAMError(
                .denied,
                "device_json: \(settings.app.id) is an extension and goes by the device of \(containing); state it there",
                [("argument", "device_json"), ("app", .string(containing))])
        }
        let device: HostDevice
        if let json { device = try HostDevice(json) } else { device = HostDevice() }
        let isDone: Bool? = try stating.withLock(within: 60_000, unless: interrupts) { () throws(MAMError) in
            // Set before the commit, so that a thread that loads the new state finds the matching app configuration.
            let former = statements.withLock { statements -> HostDevice? in
                defer { statements.own = device }
                return statements.own
            }
            do throws(MAMError) {
                try state.commitForAll { (view) throws(MAMError) in try KnownDevice.store(device, view) }
            } catch {
                statements.withLock { $0.own = former }
                throw error
            }
            return true
        }
        guard isDone == true else {
            throw MAMError(.busy, "another thread is stating the device for too long; try again")
        }
        try reload()
        warnOfConfiguration(device)
    }

    /// Warn about values of the device's app configuration that are not understood.
    func warnOfConfiguration(_ device: HostDevice) {
        for warning in device.configurationWarnings {
            events.warn(warning.message, [("setting", .string(warning.setting))])
        }
    }

    /// At open, announce changes since the last announcement, and accounts that are refused. An extension leaves this to its containing
    /// app.
    func announceDevice() throws(MAMError) {
        guard !settings.isExtension else { return }
        let (announced, now) = (statements.withLock { $0.announced }, snapshots.latest)
        announceDevice(from: announced ?? DeviceAccounts(), to: now)
        announceRefused(now) { _ in nil }
        try storeAnnounced()
    }

    /// Announce the differences between two snapshots.
    func follow(from old: Snapshot, to new: Snapshot) {
        if old.device.stated != new.device.stated { health.forget() }
        guard old.device.accounts != new.device.accounts else { return }
        statements.withLock { $0.announced = nil }
        announceDevice(from: old.device.accounts, to: new)
        guard !settings.isExtension else { return }
        announceRefused(new) { account in
            old.accounts.contains { $0.row.id == account.row.id }
                ? old.device.accounts.refusalCode(of: account.record) : nil
        }
    }

    /// Store the accounts announced to the host, so that the next open does not announce them again.
    func storeAnnounced() throws(MAMError) {
        let (now, announced) = (snapshots.latest.device.accounts, statements.withLock { $0.announced })
        guard !settings.isExtension, now != announced else { return }
        try state.write { (view) throws(MAMError) in try KnownDevice.storeAnnounced(now, view) }
        statements.withLock { $0.announced = now }
    }

    private func announceDevice(from old: DeviceAccounts, to snapshot: Snapshot) {
        let new = snapshot.device.accounts
        if old.allowed != new.allowed {
            events.emit(.allowedAccountsDidChange, of: nil, [("allowedAccounts", DeviceStatements.json(allowed: new))])
        }
        if old.mdmAccountId != new.mdmAccountId {
            events.emit(.mdmAccountDidChange, of: nil, [("mdmAccount", DeviceStatements.mdmAccount(new, snapshot))])
        }
    }

    /// Announce each account that may not be used on this device, unless the host knows already.
    private func announceRefused(_ snapshot: Snapshot, known: (Account) -> StatusCode?) {
        for account in snapshot.accounts where account.state != .unenrolled {
            guard let code = snapshot.device.accounts.refusalCode(of: account.record), code != known(account) else {
                continue
            }
            events.emit(
                .enrollmentRequest,
                status(code, accountId: account.record.accountId, upn: account.record.upn))
        }
    }

    private static func json(allowed device: DeviceAccounts) -> JSON { device.allowed.map { .strings($0) } ?? .null }

    private static func mdmAccount(_ device: DeviceAccounts, _ snapshot: Snapshot) -> JSON {
        guard let id = device.mdmAccountId else { return .null }
        let known = snapshot.find(folded: Identity.fold(id))?.record.upn
        return .object(NamedAccount(accountId: id, upn: known ?? device.mdmUPN).members)
    }

    /// `mam_allowed_accounts`.
    public func allowedAccounts() throws(MAMError) -> JSON {
        DeviceStatements.json(allowed: try current().device.accounts)
    }

    /// `mam_mdm_account`.
    public func mdmAccount() throws(MAMError) -> JSON {
        let snapshot = try current()
        return DeviceStatements.mdmAccount(snapshot.device.accounts, snapshot)
    }
}
