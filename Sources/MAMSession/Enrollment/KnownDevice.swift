import MAMPolicy
import MAMState
import MAMSupport

/// What is stated about the device, at one generation of the state.
///
/// Whose the device is counts for every app of the group: there is one computer. The rest (platform, version, model, lock,
/// which signals count) counts for the app that states it and its extensions. The latest statement counts, at an open or
/// while a session is open.
struct KnownDevice: Sendable {
    private static let accountsFact = "device"
    private static let statedFact = "statedDevice"

    let accounts: DeviceAccounts
    /// Nil where this app never stated anything.
    let stated: StatedDevice?
    /// The app configuration that came with this session's own statement, while that one counts.
    let configuration: AppConfiguration?

    /// Read what counts. `own`: the statement of the session that reads.
    init(_ view: StateView, own: HostDevice?) throws(MAMError) {
        accounts = try KnownDevice.accounts(view)
        stated = try view.facts.value(KnownDevice.statedFact).map { (json) throws(MAMError) in
            try StatedDevice(json: json)
        }
        configuration = own?.accounts == accounts ? own?.configuration : nil
    }

    /// The app configuration of the device for an account: the one that the device is managed for alone has it.
    func configuration(for account: Account) -> AppConfiguration? {
        accounts.isManaged(for: account.names + account.formerNames) ? configuration : nil
    }

    /// The latest statement of the group; without one, what this app knew last.
    private static func accounts(_ view: StateView) throws(MAMError) -> DeviceAccounts {
        guard let kept = try view.groupFacts.value(accountsFact) else { return try told(view) }
        return DeviceAccounts(json: kept)
    }

    /// Whose the device was when the host of this app was told last; nobody's where it never was.
    static func told(_ view: StateView) throws(MAMError) -> DeviceAccounts {
        try view.facts.value(accountsFact).map(DeviceAccounts.init(json:)) ?? DeviceAccounts()
    }

    /// Note whose the device is as the host of this app is told.
    static func noteTold(_ accounts: DeviceAccounts, _ view: StateView) throws(MAMError) {
        guard try told(view) != accounts else { return }
        try view.facts.set(accountsFact, to: accounts.json)
    }

    /// Whether a statement says nothing else than what counts.
    static func isKept(_ device: HostDevice, _ view: StateView) throws(MAMError) -> Bool {
        guard try accounts(view) == device.accounts else { return false }
        let kept = try view.facts.value(statedFact)
        let before = try kept.map { (json) throws(MAMError) in try StatedDevice(json: json) }
        return before ?? .nothing == StatedDevice(device)
    }

    /// Make a statement the one that counts.
    static func keep(_ device: HostDevice, _ view: StateView) throws(MAMError) {
        try view.groupFacts.set(accountsFact, to: device.accounts.json)
        try view.facts.set(statedFact, to: StatedDevice(device).json)
        try noteTold(device.accounts, view)
    }
}
