import MAMSupport

/// What a look before data is shown came to: every finding, and the severest as the outcome.
public struct LaunchReport: Sendable {
    /// What a finding asks for, the mildest first.
    public enum Action: String, Sendable, CaseIterable {
        /// Tell the person.
        case warn
        /// Ask the person for something: closed until it was given.
        case prompt
        /// Show nothing of the account.
        case block
        /// Remove the account's data.
        case wipe
    }

    /// Whether data may be shown.
    public enum Outcome: String, Sendable {
        case allowed, warned, blocked, wiped
    }

    /// Every finding, the severest first, those of one severity in the order of ``LaunchCheck``.
    public let findings: [Finding]
    /// What does not apply to this host.
    public let notApplicable: [NotApplicable]
    /// When it was looked.
    public let time: Instant

    /// A report of findings in any order.
    public init(_ findings: [Finding], notApplicable: [NotApplicable] = [], time: Instant) {
        self.findings = Action.allCases.reversed().flatMap { action in
            let own = findings.filter { $0.action == action }
            let places = own.map { LaunchCheck.place(of: $0.check) }
            // One pass a check keeps those of one check in the order in which they were found.
            return Set(places).sorted().flatMap { place in zip(own, places).filter { $0.1 == place }.map(\.0) }
        }
        self.notApplicable = notApplicable
        self.time = time
    }

    /// The severest of the findings that count.
    public var outcome: Outcome {
        switch findings.first(where: { !$0.isDismissed })?.action {
        case .wipe: .wiped
        case .block, .prompt: .blocked
        case .warn: .warned
        case nil: .allowed
        }
    }

    /// The object of `mam_wait` after `mam_launch` and `mam_resume`, and of `mam_conditional_launch`.
    public var json: JSON {
        let didSucceed = outcome == .allowed || outcome == .warned
        return [
            "outcome": .string(outcome.rawValue), "findings": .array(findings.map(\.json)),
            "didSucceed": .bool(didSucceed), "time": .string(time.rfc3339),
            "notApplicable": .array(notApplicable.map(\.json)),
        ]
    }
}
