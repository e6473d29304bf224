import MAMSupport

/// Which signals count for deviceComplianceRequired: `device.health` of mam_open over what counts by itself.
public struct DeviceHealthRules: Sendable, Equatable {
    /// What a signal is for.
    public enum Standing: String, Sendable, CaseIterable {
        /// Named by settings: it must be ok.
        case required
        /// Counts by itself: it must be neither fail nor unknown.
        case counts
        /// Does not count.
        case informs
        /// Switched off by settings.
        case ignored
    }

    /// What counts where nobody said anything.
    public static let standard = DeviceHealthRules(checkedIgnore: [], require: [])

    /// A host's signal that tells of the person, not of the device: whether it is working time. It never counts by itself.
    public static let workTime = "work.time"

    /// Names that are switched off.
    public let ignored: [String]
    /// Names that must be ok.
    public let required: [String]

    /// Rules of settings; a name that no signal can have, or that is in both lists, is an error that names it.
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

    /// What a signal is for. What a host reports under a name of its own counts: it would not report it otherwise.
    public func standing(of name: String) -> Standing {
        if ignored.contains(name) { return .ignored }
        if required.contains(name) { return .required }
        let counts = DeviceSignal(rawValue: name)?.countsByDefault ?? (name != DeviceHealthRules.workTime)
        return counts ? .counts : .informs
    }

    /// Whether a reading stands against the device. What counts and cannot be told does: closed, with the reason.
    public func refuses(_ reading: DeviceReading) -> Bool {
        switch standing(of: reading.name) {
        case .required: reading.state != .ok
        case .counts: reading.state == .fail || reading.state == .unknown
        case .informs, .ignored: false
        }
    }
}
