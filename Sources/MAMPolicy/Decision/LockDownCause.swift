import MAMSupport

/// Why everything is refused for an account or for several that are shown together.
public struct LockDownCause: Sendable, Equatable {
    /// The launch check that closed the account, by its name in findings; nil where none did.
    public let check: String?
    /// The setting that asked for the check; nil where no setting did.
    public let setting: String?
    /// Its value.
    public let value: JSON
    /// The policy it is in.
    public let policyId: String?
    /// That policy's name.
    public let policyName: String?
    /// One line: what happened and what to do.
    public let message: String

    /// A cause that no setting of a policy asked for.
    public init(_ check: LaunchCheck?, _ message: String) {
        self.check = check?.rawValue
        setting = nil
        value = .null
        policyId = nil
        policyName = nil
        self.message = message
    }

    /// What a launch found.
    public init(_ finding: LaunchReport.Finding) {
        check = finding.check
        setting = finding.setting
        value = finding.value
        policyId = finding.policyId
        policyName = finding.policyName
        message = finding.message
    }

    /// The check, the setting and the message, as one clause.
    var clause: String {
        guard let check else { return message }
        guard let setting, !message.mentions(setting) else { return "check \(check) failed: \(message)" }
        let title = (policyName.flatMap { $0.isEmpty ? nil : $0 } ?? policyId).map {
            " in “\(Line.bounded($0, limit: 100))”"
        }
        let value = Line.bounded(value.string ?? value.text, limit: 80)
        return "check \(check) failed, where \(setting) is \(value)\(title ?? ""): \(message)"
    }

    /// What programs can read of it.
    public var members: [(key: String, value: JSON)] {
        [
            ("check", .optional(check)), ("setting", .optional(setting)), ("value", value),
            ("policyId", .optional(policyId)), ("policyName", .optional(policyName)),
        ]
    }
}
