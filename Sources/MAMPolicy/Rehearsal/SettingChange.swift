import MAMSupport

/// How one setting differs between two policies, by the order that merging uses.
public struct SettingChange: Sendable, Equatable {
    /// Which way.
    public enum Direction: String, Sendable, CaseIterable {
        case stricter, looser
        /// Neither: a text without an order, or a list that lost some members and got others.
        case different
    }

    /// The property.
    public let setting: String
    /// What is in force before; null where nothing is stated.
    public let before: JSON
    /// What is in force after.
    public let after: JSON
    /// Which way.
    public let direction: Direction

    /// What several changes come to.
    public enum Verdict: String, Sendable, CaseIterable {
        /// Nothing changes; nothing gets looser; nothing gets stricter.
        case same, stricter, looser
        /// Some of it gets stricter and some looser, or a text changes that has no order.
        case mixed

        /// Of settings, and the answers that follow from them.
        public init(_ settings: [SettingChange], _ decisions: [DecisionChange] = []) {
            self.init(
                settings.map(\.direction)
                    + decisions.compactMap { change -> Direction? in
                        switch change.direction {
                        case .stricter: .stricter
                        case .looser: .looser
                        case .reason: nil
                        }
                    })
        }

        fileprivate init(_ directions: [Direction]) {
            guard let first = directions.first else { self = .same; return }
            guard directions.allSatisfy({ $0 == first }) else { self = .mixed; return }
            self =
                switch first {
                case .stricter: .stricter
                case .looser: .looser
                case .different: .mixed
                }
        }

        /// What this and another come to together.
        public func with(_ other: Verdict) -> Verdict {
            self == .same ? other : other == .same || other == self ? self : .mixed
        }
    }

    /// The shape of `mam_policy_diff`'s changes.
    public var json: JSON {
        [
            "setting": .string(setting), "before": before, "after": after, "change": .string(direction.rawValue),
            "message": .string(Line.bounded("\(setting): \(before.text) becomes \(after.text): \(direction.rawValue)")),
        ]
    }
}

extension EffectivePolicy {
    /// What changes for an account when another policy takes this one's place, in the order of the table. A setting that
    /// another one switches off counts as one that restricts nothing.
    public func changes(to other: EffectivePolicy) -> [SettingChange] {
        let (before, after) = (values, other.values)
        return PropertyTable.all.compactMap { property in
            guard let kind = property.kind, property.isRead(on: .linux) else { return nil }
            let (a, b) = (before.inForce(property, kind), after.inForce(property, kind))
            guard let direction = kind.direction(from: a, to: b) else { return nil }
            return SettingChange(
                setting: property.name, before: before[property.name], after: after[property.name],
                direction: direction)
        }
    }

    private var values: MergedValues {
        MergedValues(Dictionary(mergedSettings.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }))
    }
}

/// The values of an effective policy, by name.
private struct MergedValues {
    let values: [String: JSON]

    init(_ values: [String: JSON]) { self.values = values }

    subscript(_ name: String) -> JSON { values[name] ?? .null }

    /// What a property comes to; nil where it restricts nothing.
    func inForce(_ property: PropertyDefinition, _ kind: SettingKind) -> JSON? {
        let setting = PolicySetting(rawValue: property.name)
        if let setting, let conditions = setting.conditions {
            guard conditions.contains(where: { !$0.isNeutral(values[$0.name] ?? $0.neutral) }) else { return nil }
            return values[property.name] ?? setting.neutral
        }
        guard let value = values[property.name] ?? setting?.neutral else { return kind.absent }
        return kind.isOff(value) ? nil : value
    }
}

extension SettingKind {
    /// What a property comes to that no policy states; nil for no restriction.
    fileprivate var absent: JSON? { if case .exceptions = self { [] } else { nil } }

    /// Whether a value that is stated restricts nothing.
    fileprivate func isOff(_ value: JSON) -> Bool {
        switch self {
        case .flag(let strict): value.bool != strict
        case .level(let levels, _): levels.first?.contains(value.string ?? "") == true
        case .span(let zeroIsOff): zeroIsOff && value.string.flatMap(TimeSpan.init(iso8601:)) == .seconds(0)
        case .allowOnly: value == []
        case .number, .minimumVersion, .maximumVersion, .exceptions, .text, .scheme: false
        }
    }

    /// Which way a value went; nil where both ask for the same. nil restricts nothing.
    fileprivate func direction(from before: JSON?, to after: JSON?) -> SettingChange.Direction? {
        guard let before else { return after == nil ? nil : isOrdered ? .stricter : .different }
        guard let after else { return isOrdered ? .looser : .different }
        switch self {
        case .exceptions, .allowOnly:
            let (old, new) = (before.array ?? [], after.array ?? [])
            let (isFewer, isMore) = (!old.allSatisfy(new.contains), !new.allSatisfy(old.contains))
            return isFewer && isMore ? .different : isFewer ? .stricter : isMore ? .looser : nil
        case .text, .scheme:
            return before == after ? nil : .different
        case .flag, .level, .number, .span, .minimumVersion, .maximumVersion:
            guard let old = rank(before), let new = rank(after), old != new else { return nil }
            return old.lexicographicallyPrecedes(new) ? .stricter : .looser
        }
    }

    private var isOrdered: Bool {
        switch self {
        case .text, .scheme: false
        default: true
        }
    }
}
