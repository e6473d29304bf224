import MAMSupport

extension EffectivePolicy {
    /// Returns the reason that this policy refuses; nil if it allows. The reason is found by trial: it is the first setting
    /// whose neutral value in a single policy reverses the answer.
    func refusal(_ query: RefusalQuery) -> Reason? {
        if isLockDown { return Reason(query.action, query.subject, lockedDownBy: lockDownCause) }
        guard !query.allows(rules) else { return nil }
        let original = policies.map(\.rules)
        for setting in query.settings {
            let oneNeutral = EffectivePolicy.merged(original, eachReplacedFrom: neutral(setting))
            if let index = zip(policies.indices, oneNeutral).first(where: { query.allows($0.1) })?.0 {
                return reason(query, setting, index, others: [])
            }
        }
        for setting in query.settings {
            let neutral = neutral(setting)
            guard query.allows(.strictest(neutral)) else { continue }
            // Policies that refuse even with the setting neutral in all the others.
            let oneKept = EffectivePolicy.merged(neutral, eachReplacedFrom: original)
            var refusing = zip(policies.indices, oneKept).filter { !query.allows($0.1) }.map(\.0)
            // One policy's level and another's exceptions can refuse together what neither refuses alone.
            let isRefusing = Set(refusing)
            let cured = policies.indices.map { isRefusing.contains($0) ? neutral[$0] : original[$0] }
            if !query.allows(.strictest(cured)) { refusing = restricting(setting) }
            if let first = strictest(setting, among: refusing) {
                return reason(query, setting, first, others: refusing.filter { $0 != first })
            }
        }
        // Several policies refuse by different settings: report the first setting that matters, and every policy that refuses
        // alone.
        for setting in query.settings {
            guard let first = strictest(setting, among: restricting(setting)) else { continue }
            let others = policies.indices.filter { $0 != first && !query.allows(policies[$0].rules) }
            return reason(query, setting, first, others: others)
        }
        return Reason(noSetting: query.action)
    }

    private func restricting(_ setting: PolicySetting) -> [Int] {
        policies.indices.filter { policies[$0].settings.restricts(by: setting) }
    }

    /// Returns each policy's rules with the setting at its neutral value.
    func neutral(_ setting: PolicySetting) -> [DecisionRules] {
        neutrals[setting]
            ?? policies.map {
                $0.settings.restricts(by: setting) ? DecisionRules($0.settings.neutral(in: setting)) : $0.rules
            }
    }

    /// Returns for each index the merge of all `rules`, where the one at that index is taken from `others`. One pass in each
    /// direction keeps this linear in the number of policies.
    private static func merged(_ rules: [DecisionRules], eachReplacedFrom others: [DecisionRules]) -> [DecisionRules] {
        var after: [DecisionRules] = [.free]
        for rule in rules.reversed() { after.append(.stricter(after.last ?? .free, rule)) }
        after.removeLast()
        var before = DecisionRules.free
        return zip(zip(rules, others), after.reversed()).map { pair, after in
            defer { before = .stricter(before, pair.0) }
            return .stricter(.stricter(before, pair.1), after)
        }
    }

    /// Returns the policy with the strictest value, or the one with the lowest id on ties.
    private func strictest(_ setting: PolicySetting, among indices: [Int]) -> Int? {
        guard let first = indices.first, let property = PropertyTable[setting.name] else { return nil }
        func rank(_ index: Int) -> [Int64]? {
            property.rank(policies[index].settings.value(setting), on: policies[index].platform)
        }
        return indices.dropFirst().reduce(first) { best, next in
            guard let a = rank(best), let b = rank(next), a.lexicographicallyPrecedes(b) else { return best }
            return next
        }
    }

    /// Returns the reason if each of these policies refuses by the same setting.
    func reason(
        _ action: RefusedAction, _ setting: PolicySetting, of refusing: [Int],
        context: @escaping (PolicySetting, JSON) -> String
    ) -> Reason? {
        guard let first = strictest(setting, among: refusing) else { return nil }
        let query = RefusalQuery(action: action, settings: [setting], context: context, allows: { _ in false })
        return reason(query, setting, first, others: refusing.filter { $0 != first })
    }

    private func reason(_ query: RefusalQuery, _ setting: PolicySetting, _ index: Int, others: [Int]) -> Reason {
        let policy = policies[index]
        let value = policy.settings.value(setting)
        let also =
            switch others.count {
            case 0: ""
            case 1: "; another policy refuses it too"
            default: "; \(others.count) other policies refuse it too"
            }
        let clause =
            "\(setting.name) is \(value.string ?? value.text) in \(policy.title)\(query.context(setting, value))"
        return Reason(
            query.action, setting, of: policy, message: "\(query.action.words): \(clause)\(also)",
            alsoIn: others.map { policies[$0].id })
    }
}
