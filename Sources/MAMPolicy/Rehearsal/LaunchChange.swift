import MAMSupport

/// How what a launch does in one case differs between two policies: it begins to block or wipe, or stops doing so.
public struct LaunchChange: Sendable {
    /// Which way.
    public enum Direction: String, Sendable {
        case stricter, looser
    }

    /// The check that finds it.
    public let check: String
    /// Which way.
    public let direction: Direction
    /// The cases, in words.
    public private(set) var cases: [String]
    private let before, after: LaunchReport.Finding?

    fileprivate init?(_ trial: LaunchTrial, from before: LaunchReport.Finding?, to after: LaunchReport.Finding?) {
        let (old, new) = (LaunchChange.rank(before), LaunchChange.rank(after))
        guard old != new else { return nil }
        check = trial.check.rawValue
        direction = old < new ? .stricter : .looser
        cases = [trial.words]
        (self.before, self.after) = (before, after)
    }

    /// What does not close data counts as nothing here: warnings and questions are told by the settings.
    private static func rank(_ finding: LaunchReport.Finding?) -> Int {
        switch finding?.action {
        case .wipe: 2
        case .block: 1
        case .warn, .prompt, nil: 0
        }
    }

    /// What matters most comes first: what begins to wipe, to block, what stops.
    fileprivate var place: Int { direction == .stricter ? 2 - LaunchChange.rank(after) : 4 - LaunchChange.rank(before) }

    /// Take in another case in which the same changes in the same way; false where it does not.
    fileprivate mutating func join(_ other: LaunchChange) -> Bool {
        guard check == other.check, LaunchChange.isSame(before, other.before), LaunchChange.isSame(after, other.after)
        else { return false }
        for words in other.cases where !cases.contains(words) { cases.append(words) }
        return true
    }

    private static func isSame(_ a: LaunchReport.Finding?, _ b: LaunchReport.Finding?) -> Bool {
        a?.action == b?.action && a?.setting == b?.setting && a?.value == b?.value && a?.policyId == b?.policyId
    }

    /// The shape of `mam_policy_diff`'s launch.
    public var json: JSON {
        func side(_ finding: LaunchReport.Finding?) -> JSON {
            guard let finding else { return .null }
            return [
                "action": .string(finding.action.rawValue), "setting": .optional(finding.setting),
                "value": finding.value, "policyId": .optional(finding.policyId),
                "policyName": .optional(finding.policyName),
            ]
        }
        return [
            "check": .string(check), "change": .string(direction.rawValue), "cases": .strings(cases),
            "before": side(before), "after": side(after), "message": .string(Line.bounded(message)),
        ]
    }

    private var message: String {
        let shown = cases.prefix(4).joined(separator: ", or where ") + (cases.count > 4 ? ", or in other cases" : "")
        let does: String
        switch (LaunchChange.rank(before), LaunchChange.rank(after)) {
        case (_, 2): does = "launches wipe the account\(LaunchChange.clause(after)); before they \(rank(before))"
        case (2, 1):
            does = "launches block the account and wipe it no more\(LaunchChange.clause(after))"
        case (_, 1): does = "launches block the account\(LaunchChange.clause(after)); before they did not"
        case (2, _): does = "launches wipe the account no more; before they did\(LaunchChange.clause(before))"
        default: does = "launches block the account no more; before they did\(LaunchChange.clause(before))"
        }
        return "where \(shown): \(does)"
    }

    private func rank(_ finding: LaunchReport.Finding?) -> String {
        LaunchChange.rank(finding) == 1 ? "blocked it" : "did not"
    }

    private static func clause(_ finding: LaunchReport.Finding?) -> String {
        guard let finding, let setting = finding.setting else { return "" }
        let value = Line.bounded(finding.value.string ?? finding.value.text, limit: 60)
        let name = finding.policyName.flatMap { $0.isEmpty ? nil : $0 } ?? finding.policyId ?? ""
        return " (\(setting) is \(value) in \(Line.quoted(name)))"
    }
}

extension EffectivePolicy {
    /// What begins or stops to block or wipe at launches when another policy takes this one's place.
    public func launchChanges(to other: EffectivePolicy) -> [LaunchChange] {
        var changes: [LaunchChange] = []
        for trial in LaunchTrial.all([self, other]) {
            guard let change = LaunchChange(trial, from: trial.finding(self), to: trial.finding(other)) else {
                continue
            }
            var isKnown = false
            for index in changes.indices where !isKnown { isKnown = changes[index].join(change) }
            if !isKnown { changes.append(change) }
        }
        return (0...4).flatMap { place in changes.filter { $0.place == place } }
    }

    /// The properties by which this policy can wipe an account on this platform.
    var wipes: [WipingProperty] {
        let found = LaunchTrial.all([self]).compactMap { $0.finding(self) }.filter { $0.action == .wipe }
        return PropertyTable.wipes.filter { property in
            found.contains { finding in
                let settings = [property.name] + (PropertyTable[property.name]?.conditions ?? [])
                return finding.check == property.check.rawValue && settings.contains(finding.setting ?? "")
            }
        }
    }
}
