import MAMSupport

/// What a look before data is shown came to: every finding, and the severest as the outcome.
public struct LaunchReport: Sendable {
    /// What a finding asks for, the mildest first.
    public enum Action: String, Sendable, CaseIterable {
        case warn, block
    }

    /// Whether data may be shown.
    public enum Outcome: String, Sendable {
        case allowed, warned, blocked
    }

    /// What a check found.
    public struct Finding: Sendable {
        /// The check's name in JSON.
        public let check: String
        /// What it asks for.
        public let action: Action
        /// The setting that asks for it.
        public let setting: String?
        /// The account that it is about; nil where it is about the app.
        public let accountId: String?
        /// One line: what happened and what to do.
        public let message: String

        /// A finding.
        public init(check: String, action: Action, setting: String?, accountId: String?, message: String) {
            self.check = check
            self.action = action
            self.setting = setting
            self.accountId = accountId
            self.message = message
        }

        var json: JSON {
            [
                "check": .string(check), "action": .string(action.rawValue), "setting": .optional(setting),
                "accountId": .optional(accountId), "message": .string(message),
            ]
        }
    }

    /// Every finding, the severest first.
    public let findings: [Finding]
    /// When it was looked.
    public let time: Instant

    /// A report of findings in any order.
    public init(_ findings: [Finding], time: Instant) {
        self.findings = Action.allCases.reversed().flatMap { action in findings.filter { $0.action == action } }
        self.time = time
    }

    /// The severest of the findings.
    public var outcome: Outcome {
        switch findings.first?.action {
        case .block: .blocked
        case .warn: .warned
        case nil: .allowed
        }
    }

    /// The object of `mam_wait` after `mam_launch`.
    public var json: JSON {
        [
            "outcome": .string(outcome.rawValue), "findings": .array(findings.map(\.json)),
            "didSucceed": .bool(outcome != .blocked), "time": .string(time.rfc3339),
        ]
    }
}
