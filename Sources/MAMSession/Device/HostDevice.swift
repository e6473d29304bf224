import MAMPolicy
import MAMSupport

/// The statement of a host about the device: `device` of `mam_open`, and the object of `mam_set_device`.
struct HostDevice: Sendable {
    var platform = "linux"
    var version: String?
    var model: String?
    /// nil if the host did not state it.
    var givenLock: DeviceLock?
    var lock: DeviceLock { givenLock ?? .notApplicable }
    var health = DeviceHealthSettings.standard
    var mdmAccountId: String?
    var managedAppConfig: JSON?
    /// The settings of `managedAppConfig` that the app can query.
    var configuration: AppConfiguration?
    /// The names of its other settings, which are left out.
    var leftOut: [String] = []

    /// An empty statement: the device names no account, and its properties are read from the system.
    init() {}

    /// Read the object of mam.h.
    init(_ json: JSON) throws(MAMError) {
        var facts = try ObjectReader(json, "device")
        let platforms = [Platform.linux, .ios, .android, .windows].map(\.name)
        platform = try facts.choice("platform", of: platforms) ?? platform
        version = try facts.string("version")
        model = try facts.string("model")
        givenLock = try facts.choice("lock", of: ["on", "off", "notApplicable"]).flatMap(DeviceLock.init)
        if let stated = try facts.object("health") { health = try DeviceHealthSettings(stated) }
        if let id = try facts.string("mdmAccountId") {
            mdmAccountId = try Identity(account: id, argument: "device.mdmAccountId").text
        }
        if let config = try facts.object("managedAppConfig") {
            let read = try AppConfiguration.device(config)
            (managedAppConfig, configuration, leftOut) = (config, read.configuration, read.leftOut)
        }
        try facts.end()
    }

    /// The accounts of the device by this statement.
    var accounts: DeviceAccounts { DeviceAccounts(mdmAccountId: mdmAccountId, configuration: managedAppConfig) }

    /// The form of `mam_settings`.
    var json: JSON {
        [
            "platform": .string(platform), "version": .optional(version), "model": .optional(model),
            "lock": .string(lock.rawValue), "mdmAccountId": .optional(mdmAccountId),
            "managedAppConfig": managedAppConfig ?? .null, "health": health.json,
        ]
    }
}
