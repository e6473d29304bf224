import MAMSupport

/// A question to one policy, and what is needed to explain a refusal.
struct Question {
    /// What a message begins with: "Saving to localDrive is refused".
    let refusal: String
    /// The settings that can matter, the most direct first.
    let settings: [PolicySetting]
    /// Whose policy it is, in a message about lock-down.
    var subject = "the account"
    /// What a message says after the policy's name, for a setting and its value.
    var context: (PolicySetting, JSON) -> String = { _, _ in "" }
    /// The rule.
    let allows: (Rules) -> Bool
}

extension EffectivePolicy {
    /// Why this policy refuses; nil where it allows. The reason is found by trying: of the settings in their order, the
    /// first whose neutral value in one policy alone turns the answer.
    func refusal(_ question: Question) -> Reason? {
        if isLockDown { return Reason(question.refusal, question.subject, lockedDownBy: lockDownCause) }
        guard !question.allows(rules) else { return nil }
        let original = parts.map(\.rules)
        for setting in question.settings {
            let oneNeutral = EffectivePolicy.merged(original, eachReplacedFrom: neutral(setting))
            if let index = zip(parts.indices, oneNeutral).first(where: { question.allows($0.1) })?.0 {
                return reason(question, setting, index, others: [])
            }
        }
        for setting in question.settings {
            let neutral = neutral(setting)
            guard question.allows(.strictest(neutral)) else { continue }
            // Each of these refuses even where all the others give way.
            let oneKept = EffectivePolicy.merged(neutral, eachReplacedFrom: original)
            var refusing = zip(parts.indices, oneKept).filter { !question.allows($0.1) }.map(\.0)
            // One policy's level and another's exception can refuse what neither does alone.
            let isRefusing = Set(refusing)
            let cured = parts.indices.map { isRefusing.contains($0) ? neutral[$0] : original[$0] }
            if !question.allows(.strictest(cured)) { refusing = restricting(setting) }
            if let first = strictest(setting, among: refusing) {
                return reason(question, setting, first, others: refusing.filter { $0 != first })
            }
        }
        // Different settings of several policies: the first that matters, and everyone who refuses alone.
        for setting in question.settings {
            guard let first = strictest(setting, among: restricting(setting)) else { continue }
            let others = parts.indices.filter { $0 != first && !question.allows(parts[$0].rules) }
            return reason(question, setting, first, others: others)
        }
        return Reason(noSetting: question.refusal)
    }

    private func restricting(_ setting: PolicySetting) -> [Int] {
        parts.indices.filter { parts[$0].settings.restricts(by: setting) }
    }

    /// The rules of each policy, with a setting at its neutral value.
    func neutral(_ setting: PolicySetting) -> [Rules] {
        neutrals[setting]
            ?? parts.map { $0.settings.restricts(by: setting) ? Rules($0.settings.neutral(in: setting)) : $0.rules }
    }

    /// For each position: all rules merged, with this one taken from the others. One pass from either end, so that many
    /// policies do not cost their square.
    private static func merged(_ rules: [Rules], eachReplacedFrom others: [Rules]) -> [Rules] {
        var after: [Rules] = [.free]
        for rule in rules.reversed() { after.append(.stricter(after.last ?? .free, rule)) }
        after.removeLast()
        var before = Rules.free
        return zip(zip(rules, others), after.reversed()).map { pair, after in
            defer { before = .stricter(before, pair.0) }
            return .stricter(.stricter(before, pair.1), after)
        }
    }

    /// The policy with the strictest value, the lowest id on ties.
    private func strictest(_ setting: PolicySetting, among indices: [Int]) -> Int? {
        guard let first = indices.first, let property = PropertyTable[setting.name] else { return nil }
        func rank(_ index: Int) -> [Int64]? {
            property.rank(parts[index].settings.value(setting), on: parts[index].platform)
        }
        return indices.dropFirst().reduce(first) { best, next in
            guard let a = rank(best), let b = rank(next), a.lexicographicallyPrecedes(b) else { return best }
            return next
        }
    }

    /// The reason where each of these policies refuses by the same setting.
    func reason(
        _ refusal: String, _ setting: PolicySetting, of refusing: [Int],
        context: @escaping (PolicySetting, JSON) -> String
    ) -> Reason? {
        guard let first = strictest(setting, among: refusing) else { return nil }
        let question = Question(refusal: refusal, settings: [setting], context: context, allows: { _ in false })
        return reason(question, setting, first, others: refusing.filter { $0 != first })
    }

    private func reason(_ question: Question, _ setting: PolicySetting, _ index: Int, others: [Int]) -> Reason {
        let part = parts[index]
        let value = part.settings.value(setting)
        let also =
            switch others.count {
            case 0: ""
            case 1: "; another policy refuses it too"
            default: "; \(others.count) other policies refuse it too"
            }
        let clause =
            "\(setting.name) is \(value.string ?? value.text) in \(part.title)\(question.context(setting, value))"
        return Reason(
            setting, of: part, message: "\(question.refusal): \(clause)\(also)", alsoIn: others.map { parts[$0].id })
    }
}
