import MAMSupport

/// One setting of an effective policy: the value, whose it is, and who says the same.
struct MergedSetting: Sendable {
    /// The value that holds in one policy, and whether the policy states it or is silent.
    struct Statement: Sendable {
        let part: EffectivePolicy.Part
        let value: JSON
        let isStated: Bool

        /// How strict the value is in its policy; nil where values have no order.
        func rank(_ property: PropertyDefinition) -> [Int64]? { property.rank(value, on: part.platform) }

        fileprivate func isStricter(than other: Statement, _ property: PropertyDefinition) -> Bool {
            guard let own = rank(property), let theirs = other.rank(property) else { return false }
            return theirs.lexicographicallyPrecedes(own)
        }
    }

    let name: String
    let value: JSON
    /// The policy that states it; nil for lock-down, and where it holds because a policy is silent.
    let origin: EffectivePolicy.Part?
    /// The platform whose words the value is in.
    var platform: Platform { origin?.platform ?? .unknown }
    /// Other policies that state an equally restrictive value.
    let alsoIn: [String]
    /// All different values, where they have no order and the choice was arbitrary.
    let conflict: [Statement]
    /// What each policy says; empty for lock-down.
    let statements: [Statement]

    /// Lock-down's value.
    init(name: String, strictest: JSON) {
        self.name = name
        value = strictest
        origin = nil
        alsoIn = []
        conflict = []
        statements = []
    }

    /// Merge what policies (sorted by id) say about a property; nil where none says anything.
    init?(_ property: PropertyDefinition, kind: SettingKind, in parts: [EffectivePolicy.Part]) {
        let stated = MergedSetting.statements(of: property, in: parts)
        guard let first = stated.first else { return nil }
        name = property.name
        statements = stated
        switch kind {
        case .text, .scheme:
            let equal = stated.filter { $0.value == first.value }
            value = first.value
            (origin, alsoIn) = MergedSetting.sources(equal)
            conflict = equal.count < stated.count ? stated : []
        case .exceptions where stated.count == 1, .allowOnly where stated.count == 1:
            value = .array(first.value.array ?? [])
            (origin, alsoIn) = MergedSetting.sources(stated)
            conflict = []
        case .exceptions, .allowOnly:
            let fewest = stated.reduce(first) {
                MergedSetting.count($1.value) < MergedSetting.count($0.value) ? $1 : $0
            }
            // Lists can have as many members as a document has room for: compared as sets.
            let all = stated.map { MergedSetting.members($0.value) }
            value = .array(
                (fewest.value.array ?? []).filter { element in all.allSatisfy { $0.contains(element.utf8) } })
            let own = MergedSetting.members(fewest.value)
            let equal = zip(stated, all).filter { other, members in
                other.part.id == fewest.part.id || !members.isStrictSuperset(of: own)
            }.map(\.0)
            (origin, alsoIn) = MergedSetting.sources(equal, first: fewest)
            conflict = []
        case .flag, .level, .number, .span, .minimumVersion, .maximumVersion:
            let strictest = stated.reduce(first) { $1.isStricter(than: $0, property) ? $1 : $0 }
            let equal = stated.filter { $0.rank(property) == strictest.rank(property) }
            (origin, alsoIn) = MergedSetting.sources(equal, first: strictest)
            value = origin?.settings.value(of: property.name) ?? strictest.value
            conflict = []
        }
    }

    /// The policy to name for a value that holds in these, `first` before others, and the others. One that is silent is no
    /// source.
    private static func sources(
        _ equal: [Statement], first: Statement? = nil
    ) -> (origin: EffectivePolicy.Part?, alsoIn: [String]) {
        let stating = equal.filter(\.isStated).map(\.part)
        let origin = first.flatMap { $0.isStated ? $0.part : nil } ?? stating.first
        return (origin, stating.map(\.id).filter { $0 != origin?.id })
    }

    /// What each policy says, and what holds in those that are silent. A setting that means nothing without a switch is
    /// taken from the policies whose switch is on.
    private static func statements(of property: PropertyDefinition, in parts: [EffectivePolicy.Part]) -> [Statement] {
        let stated = parts.compactMap { part in
            part.settings.value(of: property.name).map { Statement(part: part, value: $0, isStated: true) }
        }
        guard !stated.isEmpty else { return [] }
        guard property.conditions != nil else { return all(of: parts, property) { !property.isOff($0) } }
        let switchedOn = parts.filter { property.isSwitchedOn(in: $0.settings) }
        guard !switchedOn.isEmpty else { return stated }
        return all(of: LinkLists.voices(property, in: switchedOn), property) { _ in true }
    }

    /// What policies say; of those that are silent what holds then, where that counts.
    private static func all(
        of parts: [EffectivePolicy.Part], _ property: PropertyDefinition, ifAbsent counts: (JSON) -> Bool
    ) -> [Statement] {
        parts.compactMap { part in
            if let value = part.settings.value(of: property.name) {
                return Statement(part: part, value: value, isStated: true)
            }
            guard let value = property.absent(beside: { part.settings.value(of: $0) }), counts(value) else {
                return nil
            }
            return Statement(part: part, value: value, isStated: false)
        }
    }

    private static func count(_ value: JSON) -> Int { value.array?.count ?? 0 }

    private static func members(_ value: JSON) -> Set<[UInt8]> { Set((value.array ?? []).map(\.utf8)) }
}
