import MAMSupport

/// The parsed settings of a policy: known properties, with invalid values replaced by the strictest ones.
public struct PolicySettings: Sendable {
    /// The values by property name. Only properties that the policy sets.
    private(set) var values: [String: JSON] = [:]

    /// The platform that defines the values' meaning: some differ on Windows.
    private(set) var platform = Platform.unknown

    /// Creates the settings of an empty policy.
    init() {}

    /// Parses the members of a policy for which `isRead` returns true. Adds a warning for each value that was not understood.
    init(
        _ members: [(key: String, value: JSON)], policyId: String, platform: Platform,
        unreadable: inout [PolicyWarning],
        where isRead: (PropertyDefinition) -> Bool
    ) {
        self.platform = platform
        for (name, json) in members {
            guard let property = PropertyTable.read(name), isRead(property), let kind = property.kind else { continue }
            let parsed = kind.read(json)
            if let value = parsed.value { values[name] = value }
            if let problem = parsed.problem {
                let message = "policy \(policyId): \(name) \(problem)"
                unreadable.append(
                    PolicyWarning(policyId: policyId, setting: name, value: json, message: ForeignText.bounded(message))
                )
            }
        }
        for setting in PolicySetting.allCases {
            if let twin = setting.twin, values[setting.name] != nil { values[twin.name] = nil }
        }
    }

    /// Returns the value of a property that the policy sets: booleans, names, numbers and lists as in the policy.
    public func value(of property: String) -> JSON? { values[property] }

    /// Returns the value in force: the policy's, else the neutral one.
    func value(_ setting: PolicySetting) -> JSON { values[setting.name] ?? setting.neutral }

    func isTrue(_ setting: PolicySetting) -> Bool { value(setting) == true }

    /// Returns the level of a transfer setting.
    func level(_ setting: PolicySetting) -> TransferLevel { TransferLevel(name: value(setting).string, on: platform) }

    /// Returns whether the policy sets a value that can refuse something.
    func restricts(by setting: PolicySetting) -> Bool {
        guard let value = values[setting.name] else { return false }
        return !setting.isNeutral(value)
    }

    /// Returns a copy with one property at its neutral value.
    func neutral(in setting: PolicySetting) -> PolicySettings { replacing(setting, by: setting.neutral) }

    /// Returns a copy with the values of other settings added.
    func adding(_ other: PolicySettings) -> PolicySettings {
        var copy = self
        copy.values.merge(other.values) { own, _ in own }
        return copy
    }

    /// Returns a copy with another value of one property.
    func replacing(_ setting: PolicySetting, by value: JSON) -> PolicySettings {
        var copy = self
        copy.values[setting.name] = value
        return copy
    }
}
