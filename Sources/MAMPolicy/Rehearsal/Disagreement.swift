import MAMSupport

/// A setting of which the policies of an account say different things, and how it was settled.
public struct Disagreement: Sendable {
    /// How one value comes of several.
    public enum Resolution: String, Sendable, CaseIterable {
        /// The most restrictive one holds.
        case strictest
        /// Of lists what all of them have.
        case common
        /// They have no order: the policy with the lowest id decides.
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
    /// How it was settled.
    public let resolution: Resolution
    /// What holds.
    public let chosen: JSON
    private let statements: [MergedSetting.Statement]

    fileprivate init?(_ merged: MergedSetting) {
        guard let property = PropertyTable[merged.name], let kind = property.kind,
            let first = merged.statements.first,
            !merged.statements.allSatisfy({ kind.isSame($0, first, property) })
        else { return nil }
        setting = merged.name
        resolution = kind.resolution
        chosen = merged.value
        statements = merged.statements
    }

    /// The shape of `mam_policy_explain`'s disagreements.
    public var json: JSON {
        [
            "setting": .string(setting),
            "values": .array(
                statements.map {
                    [
                        "value": $0.value, "policyId": .string($0.part.id), "policyName": .string($0.part.name),
                        "stated": .bool($0.isStated),
                    ]
                }),
            "chosen": chosen, "resolution": .string(resolution.rawValue),
            "message": .string(
                Line.bounded(
                    "\(setting): \(statements.count) policies differ; \(resolution.words): "
                        + (chosen.string ?? chosen.text))),
        ]
    }
}

extension EffectivePolicy {
    /// Where its policies differ, in the order of the table.
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

    /// Whether two policies ask for the same, however they write it.
    fileprivate func isSame(
        _ one: MergedSetting.Statement, _ other: MergedSetting.Statement, _ property: PropertyDefinition
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
