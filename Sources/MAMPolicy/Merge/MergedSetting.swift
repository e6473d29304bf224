import MAMSupport

/// A setting of an effective policy: the value, the policy that it comes from, and the policies with the same value.
struct MergedSetting: Sendable {
    /// The value in one policy, and whether the policy sets it or it is the value of an absent property.
    struct PolicyValue: Sendable {
        let policy: EffectivePolicy.MergedPolicy
        let value: JSON
        let isStated: Bool

        /// Returns the value's strictness in its policy; nil if values have no order.
        func rank(_ property: PropertyDefinition) -> [Int64]? { property.rank(value, on: policy.platform) }

        fileprivate func isStricter(than other: PolicyValue, _ property: PropertyDefinition) -> Bool {
            guard let own = rank(property), let theirs = other.rank(property) else { return false }
            return theirs.lexicographicallyPrecedes(own)
        }
    }

    let name: String
    let value: JSON
    /// The policy that sets the value; nil for lock-down and for the value of an absent property.
    let origin: EffectivePolicy.MergedPolicy?
    /// The platform that defines the value's meaning.
    var platform: Platform { origin?.platform ?? .unknown }
    /// The ids of other policies that set an equally strict value.
    let alsoIn: [String]
    /// All values, if they differ and have no order, so that the choice was arbitrary.
    let conflict: [PolicyValue]
    /// The value in each policy; empty for lock-down.
    let policyValues: [PolicyValue]

    /// The ids of the policies whose value was not understood, and counts as the strictest.
    var misreadIn: [String] {
        policyValues.filter { $0.isStated && $0.policy.isMisread(name) }.map(\.policy.id)
    }

    /// Creates the value in lock-down.
    init(name: String, strictest: JSON) {
        self.name = name
        value = strictest
        origin = nil
        alsoIn = []
        conflict = []
        policyValues = []
    }

    /// Merges a property of policies, sorted by id; nil if none sets it.
    init?(_ property: PropertyDefinition, kind: SettingKind, in policies: [EffectivePolicy.MergedPolicy]) {
        let values = MergedSetting.policyValues(of: property, in: policies)
        guard let first = values.first else { return nil }
        name = property.name
        policyValues = values
        switch kind {
        case .text, .scheme:
            let equal = values.filter { $0.value == first.value }
            value = first.value
            (origin, alsoIn) = MergedSetting.sources(equal)
            conflict = equal.count < values.count ? values : []
        case .exceptions where values.count == 1, .allowOnly where values.count == 1:
            value = .array(first.value.array ?? [])
            (origin, alsoIn) = MergedSetting.sources(values)
            conflict = []
        case .exceptions, .allowOnly:
            let fewest = values.reduce(first) {
                MergedSetting.count($1.value) < MergedSetting.count($0.value) ? $1 : $0
            }
            // Lists can have as many members as a document can hold, so they are compared as sets.
            let all = values.map { MergedSetting.members($0.value) }
            value = .array(
                (fewest.value.array ?? []).filter { element in all.allSatisfy { $0.contains(element.utf8) } })
            let own = MergedSetting.members(fewest.value)
            let equal = zip(values, all).filter { other, members in
                other.policy.id == fewest.policy.id || !members.isStrictSuperset(of: own)
            }.map(\.0)
            (origin, alsoIn) = MergedSetting.sources(equal, first: fewest)
            conflict = []
        case .flag, .level, .number, .span, .minimumVersion, .maximumVersion:
            let strictest = values.reduce(first) { $1.isStricter(than: $0, property) ? $1 : $0 }
            let equal = values.filter { $0.rank(property) == strictest.rank(property) }
            (origin, alsoIn) = MergedSetting.sources(equal, first: strictest)
            value = origin?.settings.value(of: property.name) ?? strictest.value
            conflict = []
        }
    }

    /// Returns the policy to report for a value, preferring `first`, and the ids of the others that set it.
    private static func sources(
        _ equal: [PolicyValue], first: PolicyValue? = nil
    ) -> (origin: EffectivePolicy.MergedPolicy?, alsoIn: [String]) {
        let stating = equal.filter(\.isStated).map(\.policy)
        let origin = first.flatMap { $0.isStated ? $0.policy : nil } ?? stating.first
        return (origin, stating.map(\.id).filter { $0 != origin?.id })
    }

    /// Returns the value in each policy, set or absent. A setting that another one enables is taken only from policies that
    /// enable it.
    private static func policyValues(of property: PropertyDefinition, in policies: [EffectivePolicy.MergedPolicy])
        -> [PolicyValue]
    {
        let stated = policies.compactMap { policy in
            policy.settings.value(of: property.name).map { PolicyValue(policy: policy, value: $0, isStated: true) }
        }
        guard !stated.isEmpty else { return [] }
        guard property.conditions != nil else { return all(of: policies, property) { !property.isOff($0) } }
        let switchedOn = policies.filter { property.isSwitchedOn(in: $0.settings) }
        guard !switchedOn.isEmpty else { return stated }
        return all(of: LinkListMerge.deciding(property, in: switchedOn), property) { _ in true }
    }

    /// Returns the value in each policy; values of absent properties only if `counts` accepts them.
    private static func all(
        of policies: [EffectivePolicy.MergedPolicy], _ property: PropertyDefinition, ifAbsent counts: (JSON) -> Bool
    ) -> [PolicyValue] {
        policies.compactMap { policy in
            if let value = policy.settings.value(of: property.name) {
                return PolicyValue(policy: policy, value: value, isStated: true)
            }
            guard let value = property.absent(beside: { policy.settings.value(of: $0) }), counts(value) else {
                return nil
            }
            return PolicyValue(policy: policy, value: value, isStated: false)
        }
    }

    private static func count(_ value: JSON) -> Int { value.array?.count ?? 0 }

    private static func members(_ value: JSON) -> Set<[UInt8]> { Set((value.array ?? []).map(\.utf8)) }
}
