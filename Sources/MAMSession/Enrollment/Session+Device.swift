import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// What the host says of the device counts from one open to the next: a session that is told nothing of it, as that of a
/// tool, goes by what the one before was told.
extension Session {
    private static let fact = "device"

    /// Whose the device is, and what the open before knew where that was something else.
    static func deviceAccounts(
        _ state: State, _ settings: OpenSettings
    ) throws(MAMError) -> (now: DeviceAccounts, before: DeviceAccounts?) {
        let kept = try state.read { (view, _) throws(MAMError) in try view.facts.value(fact) }
        let before = kept.map(DeviceAccounts.init(json:)) ?? DeviceAccounts()
        guard let device = settings.givenDevice?.accounts else { return (before, nil) }
        guard device != before else { return (device, nil) }
        try state.write { (view) throws(MAMError) in try view.facts.set(fact, to: device.json) }
        return (device, before)
    }

    /// Tell what has changed since the open before, and who has to go.
    func tellDevice(since before: DeviceAccounts?) {
        if let before, before.allowed != device.allowed {
            emit("allowedAccountsDidChange", accountId: nil, [("allowedAccounts", allowedAccounts)])
        }
        if let before, before.mdmAccountId != device.mdmAccountId {
            emit("mdmAccountDidChange", accountId: nil, [("mdmAccount", mdmAccount)])
        }
        // The containing app is told.
        let accounts = settings.isExtension ? [] : lock.held { snapshot.accounts }
        for account in accounts where account.state != .unenrolled {
            guard let refusal = device.refusal(of: account.record) else { continue }
            emit(
                "enrollmentRequest",
                status(refusal, accountId: account.record.accountId, upn: account.record.upn))
        }
    }

    /// `mam_allowed_accounts`.
    public var allowedAccounts: JSON { device.allowed.map { .strings($0) } ?? .null }

    /// `mam_mdm_account`.
    public var mdmAccount: JSON { device.mdmAccountId.map { ["accountId": .string($0)] } ?? .null }
}
