import MAMSupport

/// A question to one policy, and what is needed to explain a refusal.
struct Question {
    /// What a message begins with: "Saving to localDrive is refused".
    let refusal: String
    /// The settings that can matter, the most direct first.
    let settings: [PolicySetting]
    /// What a message says after the policy's name, for a setting.
    var context: (PolicySetting) -> String = { _ in "" }
    /// The rule.
    let allows: (Rules) -> Bool
}

extension EffectivePolicy {
    /// Why this policy refuses; nil where it allows. The reason is found by trying: of the settings in their order, the
    /// first whose neutral value in one policy alone turns the answer.
    func refusal(_ question: Question) -> Reason? {
        if isLockDown { return Reason(noSetting: "\(question.refusal): the account is locked down") }
        guard !question.allows(rules) else { return nil }
        for setting in question.settings {
            for index in restricting(setting) where question.allows(rules(neutral: setting, in: [index])) {
                return reason(question, setting, index, others: [])
            }
        }
        for setting in question.settings {
            let indices = restricting(setting)
            guard question.allows(rules(neutral: setting, in: indices)) else { continue }
            // Each of these refuses even where all the others give way.
            let refusing = indices.filter { one in
                !question.allows(rules(neutral: setting, in: indices.filter { $0 != one }))
            }
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

    private func rules(neutral setting: PolicySetting, in indices: [Int]) -> Rules {
        .strictest(
            parts.indices.lazy.map { index in
                indices.contains(index) ? Rules(parts[index].settings.neutral(in: setting)) : parts[index].rules
            })
    }

    /// The policy with the strictest value, the lowest id on ties.
    private func strictest(_ setting: PolicySetting, among indices: [Int]) -> Int? {
        guard let first = indices.first, let kind = PropertyTable[setting.name]?.kind else { return nil }
        return indices.dropFirst().reduce(first) { best, next in
            guard let a = kind.rank(parts[best].settings.value(setting)),
                let b = kind.rank(parts[next].settings.value(setting)), a.lexicographicallyPrecedes(b)
            else { return best }
            return next
        }
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
        let clause = "\(setting.name) is \(value.string ?? value.text) in \(part.title)\(question.context(setting))"
        return Reason(
            setting, of: part, message: "\(question.refusal): \(clause)\(also)", alsoIn: others.map { parts[$0].id })
    }
}
