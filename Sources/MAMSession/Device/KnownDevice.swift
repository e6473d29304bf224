import MAMPolicy
import MAMState
import MAMSupport

/// The statements about the device, at one generation of the state.
///
/// The accounts of the device apply to every app of the group, because there is one computer. The rest (platform, version, model,
/// lock, which signals count) applies to the app that states it and its extensions. The latest statement counts, made at open or
/// while a session is open.
struct KnownDevice: Sendable {
    let accounts: DeviceAccounts
    /// nil if this app never stated anything.
    let stated: StatedDevice?
    /// The app configuration of this session's own statement, while that statement is the latest.
    let configuration: AppConfiguration?

    /// Read the latest statements. `own` is the statement of the session that reads.
    init(_ view: StateView, own: HostDevice?) throws(MAMError) {
        accounts = try KnownDevice.accounts(view)
        stated = try view.values.value(.statedDevice).map { (json) throws(MAMError) in
            try StatedDevice(json: json)
        }
        configuration = own?.accounts == accounts ? own?.configuration : nil
    }

    /// The device's app configuration for an account; nil unless the device is managed for that account.
    func configuration(for account: Account) -> AppConfiguration? {
        accounts.isManaged(for: account.names + account.formerNames) ? configuration : nil
    }

    /// The device's accounts by the latest statement of the group, else as last announced to the host of this app.
    private static func accounts(_ view: StateView) throws(MAMError) -> DeviceAccounts {
        guard let kept = try view.groupValues.value(.device) else { return try announced(view) }
        return DeviceAccounts(json: kept)
    }

    /// The device's accounts last announced to the host of this app; none if there was no announcement.
    static func announced(_ view: StateView) throws(MAMError) -> DeviceAccounts {
        try view.values.value(.device).map(DeviceAccounts.init(json:)) ?? DeviceAccounts()
    }

    /// Store the device's accounts as announced to the host of this app.
    static func storeAnnounced(_ accounts: DeviceAccounts, _ view: StateView) throws(MAMError) {
        guard try announced(view) != accounts else { return }
        try view.values.set(.device, to: accounts.json)
    }

    /// Whether a statement equals the stored one.
    static func isCurrent(_ device: HostDevice, _ view: StateView) throws(MAMError) -> Bool {
        guard try accounts(view) == device.accounts else { return false }
        let kept = try view.values.value(.statedDevice)
        let before = try kept.map { (json) throws(MAMError) in try StatedDevice(json: json) }
        return before ?? .nothing == StatedDevice(device)
    }

    /// Store a statement.
    static func store(_ device: HostDevice, _ view: StateView) throws(MAMError) {
        try view.groupValues.set(.device, to: device.accounts.json)
        try view.values.set(.statedDevice, to: StatedDevice(device).json)
        try storeAnnounced(device.accounts, view)
    }
}
