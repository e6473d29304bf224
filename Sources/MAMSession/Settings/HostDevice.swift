import MAMPolicy
import MAMSupport

/// The statement of a host about the device: `device` of `mam_open`, and the object of `mam_set_device`.
struct HostDevice: Sendable {
    var platform = "linux"
    var version: String?
    var model: String?
    /// Nil where the host did not say.
    var givenLock: DeviceLock?
    var lock: DeviceLock { givenLock ?? .notApplicable }
    var health = DeviceHealthSettings.standard
    var mdmAccountId: String?
    var managedAppConfig: JSON?
    /// The part of it that the app can ask for.
    var configuration: AppConfiguration?
    /// The names of the settings that it cannot ask for.
    var leftOut: [String] = []

    /// Nothing is stated: the device is nobody's, and is what is found.
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
            mdmAccountId = try Identity(id, argument: "device.mdmAccountId").text
        }
        if let config = try facts.object("managedAppConfig") {
            let read = try AppConfiguration.device(config)
            (managedAppConfig, configuration, leftOut) = (config, read.configuration, read.leftOut)
        }
        try facts.end()
    }

    /// Whose the device is by this statement.
    var accounts: DeviceAccounts { DeviceAccounts(mdmAccountId: mdmAccountId, configuration: managedAppConfig) }

    /// As `mam_settings` shows it.
    var json: JSON {
        [
            "platform": .string(platform), "version": .optional(version), "model": .optional(model),
            "lock": .string(lock.rawValue), "mdmAccountId": .optional(mdmAccountId),
            "managedAppConfig": managedAppConfig ?? .null, "health": health.json,
        ]
    }
}
