import MAMSupport

/// A setting to which the policies of an account give different values, and how the merge resolved it.
public struct Disagreement: Sendable {
    /// The way that the merge chose a value.
    public enum Resolution: String, Sendable, CaseIterable {
        /// The most restrictive value holds.
        case strictest
        /// The common members of all lists hold.
        case common
        /// The values have no order: the policy with the lowest id decides.
        case lowestId

        var words: String {
            switch self {
            case .strictest: "the most restrictive value holds"
            case .common: "what all of the lists have holds"
            case .lowestId: "the values have no order, so the policy with the lowest id decides"
            }
        }
    }

    /// The setting.
    public let setting: String
    /// The way that the merge chose the value.
    public let resolution: Resolution
    /// The value that holds.
    public let chosen: JSON
    private let policyValues: [MergedSetting.PolicyValue]

    fileprivate init?(_ merged: MergedSetting) {
        guard let property = PropertyTable[merged.name], let kind = property.kind,
            let first = merged.policyValues.first,
            !merged.policyValues.allSatisfy({ kind.isSame($0, first, property) })
        else { return nil }
        setting = merged.name
        resolution = kind.resolution
        chosen = merged.value
        policyValues = merged.policyValues
    }

    /// An element of "disagreements" in the reply of `mam_policy_explain`.
    public var json: JSON {
        [
            "setting": .string(setting),
            "values": .array(
                policyValues.map {
                    [
                        "value": $0.value, "policyId": .string($0.policy.id), "policyName": .string($0.policy.name),
                        "stated": .bool($0.isStated),
                    ]
                }),
            "chosen": chosen, "resolution": .string(resolution.rawValue),
            "message": .string(
                ForeignText.bounded(
                    "\(setting): \(policyValues.count) policies differ; \(resolution.words): "
                        + (chosen.string ?? chosen.text))),
        ]
    }
}

extension EffectivePolicy {
    /// The settings to which the policies give different values, in the order of ``PropertyTable``.
    public var disagreements: [Disagreement] { mergedSettings.compactMap(Disagreement.init) }
}

extension SettingKind {
    fileprivate var resolution: Disagreement.Resolution {
        switch self {
        case .text, .scheme: .lowestId
        case .exceptions, .allowOnly: .common
        case .flag, .level, .number, .span, .minimumVersion, .maximumVersion: .strictest
        }
    }

    /// Returns whether two values mean the same, however they are written.
    fileprivate func isSame(
        _ one: MergedSetting.PolicyValue, _ other: MergedSetting.PolicyValue, _ property: PropertyDefinition
    ) -> Bool {
        switch resolution {
        case .lowestId: return one.value == other.value
        case .common:
            let (a, b) = (one.value.array ?? [], other.value.array ?? [])
            return a.allSatisfy(b.contains) && b.allSatisfy(a.contains)
        case .strictest: return one.rank(property) == other.rank(property)
        }
    }
}
