import MAMSupport

/// The difference of one setting between two policies, by the order that the merge uses.
public struct SettingChange: Sendable, Equatable {
    /// The direction of a change.
    public enum Direction: String, Sendable, CaseIterable {
        case stricter, looser
        /// Neither: a text without an order, or a list that lost some members and gained others.
        case different
    }

    /// The property's name.
    public let setting: String
    /// The value before; null if no policy sets it.
    public let before: JSON
    /// The value after; null if no policy sets it.
    public let after: JSON
    /// The direction of the change.
    public let direction: Direction
    /// The change in one line.
    public let message: String

    /// The direction of several changes together.
    public enum Verdict: String, Sendable, CaseIterable {
        /// No changes; all changes are stricter; all changes are looser.
        case same, stricter, looser
        /// Stricter and looser changes, or a change of a text without an order.
        case mixed

        /// Combines changes of settings and of answers.
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

        /// Combines two verdicts.
        public func with(_ other: Verdict) -> Verdict {
            self == .same ? other : other == .same || other == self ? self : .mixed
        }
    }

    /// An element of "changes" in the reply of `mam_policy_diff`.
    public var json: JSON {
        [
            "setting": .string(setting), "before": before, "after": after, "change": .string(direction.rawValue),
            "message": .string(ForeignText.bounded(message)),
        ]
    }
}

extension EffectivePolicy {
    /// Returns the changes for an account when `other` replaces this policy, in the order of ``PropertyTable``. A setting that
    /// another one switches off counts as unrestricted. Settings that neither policy sets are omitted, and so are settings
    /// whose effect changes only because the setting that enables them does.
    public func changes(to other: EffectivePolicy) -> [SettingChange] {
        let (before, after) = (values, other.values)
        return PropertyTable.all.compactMap { property in
            guard let kind = property.kind, property.isRead(on: .linux) else { return nil }
            let (old, new) = (before.stated[property.name], after.stated[property.name])
            guard old != nil || new != nil else { return nil }
            func way(_ a: MergedValue?, _ b: MergedValue?) -> SettingChange.Direction? {
                kind.direction(from: a?.json, to: b?.json, a?.rank(property), b?.rank(property))
            }
            let (a, b) = (before.inForce(property), after.inForce(property))
            guard let direction = way(a, b) else { return nil }
            let isItsOwn = [before, after].contains { beside in
                way(beside.inForce(property, stated: old), beside.inForce(property, stated: new)) != nil
            }
            guard ![before, after].allSatisfy({ $0.isIneffective(property) }) else { return nil }
            guard isItsOwn || before.isPolicy != after.isPolicy else { return nil }
            return SettingChange(
                setting: property.name, before: old?.json ?? .null, after: new?.json ?? .null, direction: direction,
                message: "\(property.name): \(words(property, old, a)) becomes \(words(property, new, b)): "
                    + direction.rawValue)
        }
    }

    private var values: MergedValues {
        let stated = mergedSettings.map { ($0.name, MergedValue(json: $0.value, platform: $0.platform)) }
        return MergedValues(
            stated: Dictionary(stated, uniquingKeysWith: { first, _ in first }),
            isPolicy: isLockDown || !policies.isEmpty)
    }

    private func words(_ property: PropertyDefinition, _ stated: MergedValue?, _ inForce: MergedValue?) -> String {
        guard let stated else { return inForce.map { "what holds unstated (\($0.json.text))" } ?? "nothing" }
        let text = stated.json.text
        if inForce == nil { return "\(text), which is off," }
        let isOfPlatform = stated.rank(property) != property.rank(stated.json, on: .unknown)
        return isOfPlatform ? "\(text) of a \(stated.platform.name) policy" : text
    }
}

/// A value and the platform that defines its meaning.
private struct MergedValue {
    let json: JSON
    let platform: Platform

    func rank(_ property: PropertyDefinition) -> [Int64]? { property.rank(json, on: platform) }
}

/// The values of an effective policy, by property name.
private struct MergedValues {
    let stated: [String: MergedValue]
    /// Whether there is any policy. Only then do absent properties have their default values.
    let isPolicy: Bool

    /// Returns whether a property has no effect because of these values.
    func isIneffective(_ property: PropertyDefinition) -> Bool {
        OverruledSetting.isOverruled(property.name) { (stated[$0]?.json.string, stated[$0]?.platform ?? .unknown) }
    }

    /// Returns the value in force; nil if it restricts nothing.
    func inForce(_ property: PropertyDefinition) -> MergedValue? { inForce(property, stated: stated[property.name]) }

    /// Returns the value in force if the property had the value `own` among these values; nil stands for a policy that does not
    /// set it.
    func inForce(_ property: PropertyDefinition, stated own: MergedValue?) -> MergedValue? {
        let platform = own?.platform ?? .unknown
        return inForce(property, own?.json).map { MergedValue(json: $0, platform: platform) }
    }

    private func inForce(_ property: PropertyDefinition, _ own: JSON?) -> JSON? {
        let value = own ?? (isPolicy ? property.absent { stated[$0]?.json } : nil)
        guard let conditions = property.conditions else {
            if let value { return property.isOff(value) ? nil : value }
            if case .exceptions = property.kind { return [] }
            return nil
        }
        let isOn = conditions.contains { name in PropertyTable[name].map { !$0.isOff(stated[name]?.json) } ?? false }
        guard isOn, let value, !property.isOff(value) else { return nil }
        guard let setting = property.setting, setting.exceptsFromOutbound else { return value }
        // The level `none` has no exceptions.
        if stated[PolicySetting.outbound.name]?.json == "none" { return [] }
        return setting == .exemptedProtocols ? .strings(LinkScheme.exemptible(value)) : value
    }
}

extension SettingKind {
    /// Returns the direction of a change; nil if both values mean the same. A nil value restricts nothing.
    fileprivate func direction(
        from before: JSON?, to after: JSON?, _ old: [Int64]?, _ new: [Int64]?
    ) -> SettingChange.Direction? {
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
            guard let old, let new, old != new else { return nil }
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
