import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Whose the device is, and what a host states about it. A session that states nothing, as that of a tool, goes by what
/// others have stated.
extension Session {
    /// Whose the device is now.
    var device: DeviceAccounts { snapshots.latest.device.accounts }

    /// What the app states of the device that stands over what is found.
    var stated: StatedDevice { snapshots.latest.device.stated ?? .nothing }

    /// At open: make the host's statement count where it makes one. The result is what the host of this app was told last.
    static func keepDevice(_ state: State, _ settings: OpenSettings) throws(MAMError) -> DeviceAccounts {
        let given = settings.givenDevice
        let (told, isKept) = try state.read { (view, _) throws(MAMError) in
            (try KnownDevice.told(view), try given.map { (one) throws(MAMError) in try KnownDevice.isKept(one, view) })
        }
        if let given, isKept == false {
            try state.publish { (view) throws(MAMError) in try KnownDevice.keep(given, view) }
        }
        return told
    }

    /// `mam_set_device`; nil takes the statement back.
    public func setDevice(_ json: JSON?) throws(MAMError) {
        if let containing = settings.containingApp {
            throw MAMError(
                .denied,
                "device_json: \(settings.app.id) is an extension and goes by the device of \(containing); state it there",
                [("argument", "device_json"), ("app", .string(containing))])
        }
        let device: HostDevice
        if let json { device = try HostDevice(json) } else { device = HostDevice() }
        let isDone: Bool? = try stating.held(within: 60_000, unless: interrupts) { () throws(MAMError) in
            // Before the commit: whoever loads it finds the app configuration that belongs to it.
            let former = lock.held { () -> HostDevice? in
                defer { ownDevice = device }
                return ownDevice
            }
            do throws(MAMError) {
                try state.publish { (view) throws(MAMError) in try KnownDevice.keep(device, view) }
            } catch {
                lock.held { ownDevice = former }
                throw error
            }
            return true
        }
        guard isDone == true else {
            throw MAMError(.busy, "another thread is stating the device for too long; try again")
        }
        try reload()
        warnOfDeviceConfiguration(device)
    }

    /// At open: tell what has changed since the host was told last, and who has to go. The host of an extension is not told:
    /// that of its containing app is.
    func tellDevice() throws(MAMError) {
        guard !settings.isExtension else { return }
        let (told, now) = (lock.held { toldDevice }, snapshots.latest)
        tellDevice(from: told ?? DeviceAccounts(), to: now)
        tellRefused(now) { _ in nil }
        try noteDeviceTold()
    }

    /// After a change: tell what is another now.
    func followDevice(from old: Snapshot, to new: Snapshot) {
        if old.device.stated != new.device.stated { health.forget() }
        guard old.device.accounts != new.device.accounts else { return }
        lock.held { toldDevice = nil }
        tellDevice(from: old.device.accounts, to: new)
        guard !settings.isExtension else { return }
        tellRefused(new) { account in
            old.accounts.contains { $0.row.id == account.row.id }
                ? old.device.accounts.refusal(of: account.record) : nil
        }
    }

    /// Note what the host was told, so that the next open does not tell it again.
    func noteDeviceTold() throws(MAMError) {
        let (now, told) = (snapshots.latest.device.accounts, lock.held { toldDevice })
        guard !settings.isExtension, now != told else { return }
        try state.write { (view) throws(MAMError) in try KnownDevice.noteTold(now, view) }
        lock.held { toldDevice = now }
    }

    private func tellDevice(from old: DeviceAccounts, to snapshot: Snapshot) {
        let new = snapshot.device.accounts
        if old.allowed != new.allowed {
            emit("allowedAccountsDidChange", of: nil, [("allowedAccounts", Session.json(allowed: new))])
        }
        if old.mdmAccountId != new.mdmAccountId {
            emit("mdmAccountDidChange", of: nil, [("mdmAccount", Session.mdmAccount(new, snapshot))])
        }
    }

    /// Tell of each account that may not be used, unless the host knows that already.
    private func tellRefused(_ snapshot: Snapshot, known: (Account) -> StatusCode?) {
        for account in snapshot.accounts where account.state != .unenrolled {
            guard let refusal = snapshot.device.accounts.refusal(of: account.record), refusal != known(account) else {
                continue
            }
            emit(
                "enrollmentRequest",
                status(refusal, accountId: account.record.accountId, upn: account.record.upn))
        }
    }

    private static func json(allowed device: DeviceAccounts) -> JSON { device.allowed.map { .strings($0) } ?? .null }

    private static func mdmAccount(_ device: DeviceAccounts, _ snapshot: Snapshot) -> JSON {
        guard let id = device.mdmAccountId else { return .null }
        let known = snapshot.find(folded: Identity.fold(id))?.record.upn
        return .object(NamedAccount(accountId: id, upn: known ?? device.mdmUPN).members)
    }

    /// `mam_allowed_accounts`.
    public func allowedAccounts() throws(MAMError) -> JSON { Session.json(allowed: try current().device.accounts) }

    /// `mam_mdm_account`.
    public func mdmAccount() throws(MAMError) -> JSON {
        let snapshot = try current()
        return Session.mdmAccount(snapshot.device.accounts, snapshot)
    }
}
