import MAMPolicy
import MAMSupport

/// The part of a host's statement about the device that stands over what is found, and which signals count.
struct StatedDevice: Sendable, Equatable {
    let health: DeviceHealthSettings
    /// The platform that the host says it is: the versions and models of that platform's policies count.
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

    /// The device as found, overridden by what the host states. Of a host that says it is of another platform nobody knows the version unless
    /// it says that too: the one that was found is Linux's.
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
