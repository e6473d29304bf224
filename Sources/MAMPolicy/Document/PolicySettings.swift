import MAMSupport

/// What a policy says, read: known properties alone, with odd values replaced by the most restrictive one.
public struct PolicySettings: Sendable {
    /// Property name → value in force; only what the policy states.
    private(set) var values: [String: JSON] = [:]

    /// Which platform's words these are: some mean another thing on Windows.
    private(set) var platform = Platform.unknown

    /// What a policy that says nothing says.
    init() {}

    /// Read those members of a policy that `isRead` holds for; the warnings name what was not understood.
    init(
        _ members: [(key: String, value: JSON)], policyId: String, platform: Platform, warnings: inout [PolicyWarning],
        where isRead: (PropertyDefinition) -> Bool
    ) {
        self.platform = platform
        for (name, json) in members {
            guard let property = PropertyTable.read(name), isRead(property), let kind = property.kind else { continue }
            let reading = kind.read(json)
            if let value = reading.value { values[name] = value }
            if let problem = reading.problem {
                let message = "policy \(policyId): \(name) \(problem)"
                warnings.append(
                    PolicyWarning(policyId: policyId, setting: name, value: json, message: Line.bounded(message)))
            }
        }
        for setting in PolicySetting.allCases {
            if let twin = setting.twin, values[setting.name] != nil { values[twin.name] = nil }
        }
    }

    /// The value of a property, where the policy states it: booleans, names, numbers, lists as in the policy.
    public func value(of property: String) -> JSON? { values[property] }

    /// The value in force: the stated one, else the neutral one.
    func value(_ setting: PolicySetting) -> JSON { values[setting.name] ?? setting.neutral }

    func isTrue(_ setting: PolicySetting) -> Bool { value(setting) == true }

    /// How far data may go or come from.
    func level(_ setting: PolicySetting) -> TransferLevel { TransferLevel(name: value(setting).string, on: platform) }

    /// Whether the policy states a value that can refuse something.
    func restricts(by setting: PolicySetting) -> Bool {
        guard let value = values[setting.name] else { return false }
        return !setting.isNeutral(value)
    }

    /// The same with one property at its neutral value.
    func neutral(in setting: PolicySetting) -> PolicySettings { replacing(setting, by: setting.neutral) }

    /// The same with the values of others.
    func adding(_ other: PolicySettings) -> PolicySettings {
        var copy = self
        copy.values.merge(other.values) { own, _ in own }
        return copy
    }

    /// The same with another value of one property.
    func replacing(_ setting: PolicySetting, by value: JSON) -> PolicySettings {
        var copy = self
        copy.values[setting.name] = value
        return copy
    }
}
