import MAMPolicy
import MAMSupport

/// `device.health` of mam_open: which signals count, and which libraries may be loaded in the process.
struct DeviceHealthSettings: Sendable, Equatable {
    let rules: DeviceHealthRules
    let allowedLibraries: [String]

    static let standard = DeviceHealthSettings(rules: .standard, allowedLibraries: [])
    private static let maximumNames = 256

    private init(rules: DeviceHealthRules, allowedLibraries: [String]) {
        self.rules = rules
        self.allowedLibraries = allowedLibraries
    }

    /// Read {"ignore":[…],"require":[…],"allowedLibraries":[…]}.
    init(_ json: JSON) throws(MAMError) {
        var reader = try ObjectReader(json, "device.health")
        let ignore = try DeviceHealthSettings.names("ignore", &reader)
        let require = try DeviceHealthSettings.names("require", &reader)
        allowedLibraries = try DeviceHealthSettings.names("allowedLibraries", &reader)
        try reader.end()
        rules = try DeviceHealthRules(ignore: ignore, require: require)
        for library in allowedLibraries
        where library.utf8.first != UInt8(ascii: "/") || !(2...4096).contains(library.utf8.count) {
            throw MAMError(
                .argument, "device.health.allowedLibraries names \"\(library)\"; it must be an absolute path",
                [("setting", "device.health.allowedLibraries")])
        }
    }

    var json: JSON {
        [
            "ignore": .strings(rules.ignored), "require": .strings(rules.required),
            "allowedLibraries": .strings(allowedLibraries),
        ]
    }

    private static func names(_ key: String, _ reader: inout ObjectReader) throws(MAMError) -> [String] {
        guard let json = reader.take(key) else { return [] }
        guard let elements = json.array else {
            throw reader.error(key, "is a JSON \(json.typeName); it must be an array")
        }
        guard elements.count <= maximumNames else {
            throw reader.error(key, "has \(elements.count) names; at most \(maximumNames) are taken")
        }
        var names: [String] = []
        for element in elements {
            guard let name = element.string else {
                throw reader.error(key, "has a JSON \(element.typeName) among its names")
            }
            if !names.contains(name) { names.append(name) }
        }
        return names
    }
}
