import MAMSupport

/// The report of a launch: every finding, with the severest as the outcome.
public struct LaunchReport: Sendable {
    /// The actions of findings, from mild to severe.
    public enum Action: String, Sendable, CaseIterable {
        /// Warn the person.
        case warn
        /// Ask the person to authenticate; the account is closed until then.
        case prompt
        /// Block access to the account's data.
        case block
        /// Wipe the account.
        case wipe
    }

    /// Whether data may be shown.
    public enum Outcome: String, Sendable {
        case allowed, warned, blocked, wiped
    }

    /// The findings, the severest first, and in the order of ``LaunchCheck`` within a severity.
    public let findings: [Finding]
    /// The settings that do not apply to this host.
    public let notApplicable: [NotApplicable]
    /// The time of the checks.
    public let time: Instant

    /// Creates a report from findings in any order.
    public init(_ findings: [Finding], notApplicable: [NotApplicable] = [], time: Instant) {
        self.findings = Action.allCases.reversed().flatMap { action in
            let own = findings.filter { $0.action == action }
            let places = own.map { LaunchCheck.place(of: $0.check) }
            // One pass for each check keeps its findings in their order.
            return Set(places).sorted().flatMap { place in zip(own, places).filter { $0.1 == place }.map(\.0) }
        }
        self.notApplicable = notApplicable
        self.time = time
    }

    /// The outcome of the severest finding that is not dismissed.
    public var outcome: Outcome {
        switch findings.first(where: { !$0.isDismissed })?.action {
        case .wipe: .wiped
        case .block, .prompt: .blocked
        case .warn: .warned
        case nil: .allowed
        }
    }

    /// The result of `mam_launch` and `mam_resume`, and the reply of `mam_conditional_launch`.
    public func json(in language: Language) -> JSON {
        let didSucceed = outcome == .allowed || outcome == .warned
        return [
            "outcome": .string(outcome.rawValue), "findings": .array(findings.map { $0.json(in: language) }),
            "didSucceed": .bool(didSucceed), "time": .string(time.rfc3339),
            "notApplicable": .array(notApplicable.map { $0.json(in: language) }),
        ]
    }
}
