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
    /// The same as one line.
    public let message: String

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
            "message": .string(Line.bounded(message)),
        ]
    }
}

extension EffectivePolicy {
    /// What changes for an account when another policy takes this one's place, in the order of the table. A setting that
    /// another one switches off counts as one that restricts nothing. Of one that neither states nothing is reported, nor
    /// of one that asks for the same beside the other settings of either: then its switch alone changes.
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
            guard ![before, after].allSatisfy({ $0.isIdle(property) }) else { return nil }
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
            isPolicy: isLockDown || !parts.isEmpty)
    }

    private func words(_ property: PropertyDefinition, _ stated: MergedValue?, _ inForce: MergedValue?) -> String {
        guard let stated else { return inForce.map { "what holds unstated (\($0.json.text))" } ?? "nothing" }
        let text = stated.json.text
        if inForce == nil { return "\(text), which is off," }
        let isOfPlatform = stated.rank(property) != property.rank(stated.json, on: .unknown)
        return isOfPlatform ? "\(text) of a \(stated.platform.name) policy" : text
    }
}

/// A value, and the platform whose words it is in.
private struct MergedValue {
    let json: JSON
    let platform: Platform

    func rank(_ property: PropertyDefinition) -> [Int64]? { property.rank(json, on: platform) }
}

/// The values of an effective policy, by name.
private struct MergedValues {
    let stated: [String: MergedValue]
    /// Whether there is a policy at all, so that what no policy states has the value that it has then.
    let isPolicy: Bool

    /// Whether a property decides nothing beside these values.
    func isIdle(_ property: PropertyDefinition) -> Bool {
        IdleSetting.isIdle(property.name) { (stated[$0]?.json.string, stated[$0]?.platform ?? .unknown) }
    }

    /// What a property comes to; nil where it restricts nothing.
    func inForce(_ property: PropertyDefinition) -> MergedValue? { inForce(property, stated: stated[property.name]) }

    /// The merged value with another policy's value beside these; nil stands for a policy that does not state the property.
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
        // The level of none has no exceptions.
        if stated[PolicySetting.outbound.name]?.json == "none" { return [] }
        return setting == .exemptedProtocols ? .strings(LinkScheme.exemptible(value)) : value
    }
}

extension SettingKind {
    /// Which way a value went; nil where both ask for the same. nil restricts nothing.
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
