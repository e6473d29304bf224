import MAMSupport

/// A difference between launches under two policies: a check begins to block or wipe, or stops doing so.
public struct LaunchChange: Sendable {
    /// The direction of a change.
    public enum Direction: String, Sendable {
        case stricter, looser
    }

    /// The launch check.
    public let check: String
    /// The direction of the change.
    public let direction: Direction
    /// The cases, in words.
    public private(set) var cases: [String]
    private let before, after: LaunchReport.Finding?

    fileprivate init?(_ launchCase: LaunchCase, from before: LaunchReport.Finding?, to after: LaunchReport.Finding?) {
        let (old, new) = (LaunchChange.rank(before), LaunchChange.rank(after))
        guard old != new else { return nil }
        check = launchCase.check.rawValue
        direction = old < new ? .stricter : .looser
        cases = [launchCase.words]
        (self.before, self.after) = (before, after)
    }

    /// Ranks findings. Warnings and prompts rank as none: the changed settings show them.
    private static func rank(_ finding: LaunchReport.Finding?) -> Int {
        switch finding?.action {
        case .wipe: 2
        case .block: 1
        case .warn, .prompt, nil: 0
        }
    }

    /// The position in reports: new wipes first, then new blocks, then what stops.
    fileprivate var place: Int { direction == .stricter ? 2 - LaunchChange.rank(after) : 4 - LaunchChange.rank(before) }

    /// Adds the cases of an equal change; returns false if the changes differ.
    fileprivate mutating func join(_ other: LaunchChange) -> Bool {
        guard check == other.check, LaunchChange.isSame(before, other.before), LaunchChange.isSame(after, other.after)
        else { return false }
        for words in other.cases where !cases.contains(words) { cases.append(words) }
        return true
    }

    private static func isSame(_ a: LaunchReport.Finding?, _ b: LaunchReport.Finding?) -> Bool {
        a?.action == b?.action && a?.setting == b?.setting && a?.value == b?.value && a?.policyId == b?.policyId
    }

    /// An element of "launch" in the reply of `mam_policy_diff`.
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
            "before": side(before), "after": side(after), "message": .string(ForeignText.bounded(message)),
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
        let value = ForeignText.bounded(finding.value.string ?? finding.value.text, limit: 60)
        let name = finding.policyName.flatMap { $0.isEmpty ? nil : $0 } ?? finding.policyId ?? ""
        return " (\(setting) is \(value) in \(ForeignText.quoted(name)))"
    }
}

extension EffectivePolicy {
    /// Returns the cases in which launches begin or stop to block or wipe when `other` replaces this policy.
    public func launchChanges(to other: EffectivePolicy) -> [LaunchChange] {
        var changes: [LaunchChange] = []
        for launchCase in LaunchCase.all([self, other]) {
            guard let change = LaunchChange(launchCase, from: launchCase.finding(self), to: launchCase.finding(other))
            else {
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
        let found = LaunchCase.all([self]).compactMap { $0.finding(self) }.filter { $0.action == .wipe }
        return PropertyTable.wipes.filter { property in
            found.contains { finding in
                let settings = [property.name] + (PropertyTable[property.name]?.conditions ?? [])
                return finding.check == property.check.rawValue && settings.contains(finding.setting ?? "")
            }
        }
    }
}
