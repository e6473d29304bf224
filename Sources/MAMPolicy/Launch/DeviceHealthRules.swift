import MAMSupport

/// The rules that say which signals count for deviceComplianceRequired: the defaults, overridden by `device.health` of
/// `mam_open`.
public struct DeviceHealthRules: Sendable, Equatable {
    /// The relevance of a signal.
    public enum Relevance: String, Sendable, CaseIterable {
        /// Required by settings: the signal must be ok.
        case required
        /// Counts by default: the signal must be neither fail nor unknown.
        case counts
        /// The signal is reported only.
        case informs
        /// The signal is switched off by settings.
        case ignored
    }

    /// The rules without settings.
    public static let standard = DeviceHealthRules(checkedIgnore: [], require: [])

    /// The host's signal for working time. It describes the person, not the device, and does not count by default.
    public static let workTime = "work.time"

    /// The signals that are switched off.
    public let ignored: [String]
    /// The signals that must be ok.
    public let required: [String]

    /// Creates rules from settings. Fails for a name that no signal can have, or that is in both lists.
    public init(ignore: [String], require: [String]) throws(MAMError) {
        for (key, names) in [("ignore", ignore), ("require", require)] {
            for name in names where DeviceSignal(rawValue: name) == nil && !DeviceHealthReport.isName(name) {
                throw DeviceHealthRules.error(
                    key,
                    "names \"\(name)\", which is no signal: \(DeviceSignal.allCases.map(\.rawValue).joined(separator: ", ")), or one that the host reports, with a \".\" in its name"
                )
            }
        }
        if let both = ignore.first(where: require.contains) {
            throw DeviceHealthRules.error("ignore", "names \"\(both)\", and so does device.health.require")
        }
        self.init(checkedIgnore: ignore, require: require)
    }

    private init(checkedIgnore: [String], require: [String]) {
        ignored = checkedIgnore
        required = require
    }

    private static func error(_ key: String, _ what: String) -> MAMError {
        MAMError(.argument, "device.health.\(key) \(what)", [("setting", .string("device.health.\(key)"))])
    }

    /// Returns the relevance of a signal. The host's own signals count by default, except for ``workTime``.
    public func relevance(of name: String) -> Relevance {
        if ignored.contains(name) { return .ignored }
        if required.contains(name) { return .required }
        let counts = DeviceSignal(rawValue: name)?.countsByDefault ?? (name != DeviceHealthRules.workTime)
        return counts ? .counts : .informs
    }

    /// Returns whether a reading makes the device non-compliant. A signal that counts and is unknown does.
    public func refuses(_ reading: DeviceReading) -> Bool {
        switch relevance(of: reading.name) {
        case .required: reading.state != .ok
        case .counts: reading.state == .fail || reading.state == .unknown
        case .informs, .ignored: false
        }
    }
}
