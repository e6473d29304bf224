import MAMPolicy
import MAMSupport

/// The part of a host's statement about the device that overrides readings, and the rules for signals.
struct StatedDevice: Sendable, Equatable {
    let health: DeviceHealthSettings
    /// The stated platform: version and model rules of that platform's policies apply.
    let platform: String
    let version: String?
    let model: String?
    let lock: DeviceLock?

    static let nothing = StatedDevice(HostDevice())

    init(_ device: HostDevice) {
        (health, platform) = (device.health, device.platform)
        (version, model, lock) = (device.version, device.model, device.givenLock)
    }

    /// Read the stored form.
    init(json: JSON) throws(MAMError) {
        health = try json["health"].map(DeviceHealthSettings.init) ?? .standard
        platform = json["platform"]?.string ?? HostDevice().platform
        version = json["version"]?.string
        model = json["model"]?.string
        lock = json["lock"]?.string.flatMap(DeviceLock.init)
    }

    /// The stored form.
    var json: JSON {
        [
            "health": health.json, "platform": .string(platform), "version": .optional(version),
            "model": .optional(model), "lock": .optional(lock?.rawValue),
        ]
    }

    /// The readings, overridden by the host's statement. If the host states another platform, the version is unknown unless stated
    /// too: the reading is Linux's.
    func over(_ found: [DeviceReading]) -> [DeviceReading] {
        let isLinux = platform.utf8.elementsEqual(Platform.linux.name.utf8)
        let readings = isLinux ? found : found.filter { $0.name != DeviceSignal.osVersion.rawValue }
        var stated: [DeviceReading] = []
        if let version {
            stated.append(DeviceReading(.osVersion, .ok, source: "settings", detail: "device.version", value: version))
        }
        if let model {
            stated.append(DeviceReading(.deviceModel, .ok, source: "settings", detail: "device.model", value: model))
        }
        if let lock { stated.append(DeviceReading(lock: lock, source: "settings", detail: "device.lock")) }
        return readings.filter { reading in !stated.contains { $0.name == reading.name } } + stated
    }
}
