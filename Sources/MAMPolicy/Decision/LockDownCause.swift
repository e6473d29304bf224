import MAMSupport

/// The reason that everything is refused for an account, or for several that are shown together.
public struct LockDownCause: Sendable, Equatable {
    /// The launch check that closed the account, by its name in findings; nil if none did.
    public let check: String?
    /// The setting that requires the check; nil if none does.
    public let setting: String?
    /// The setting's value.
    public let value: JSON
    /// The id of the policy that contains the setting.
    public let policyId: String?
    /// That policy's name.
    public let policyName: String?
    /// One line: what happened and what to do.
    public let message: String
    /// The message for the person who uses the host.
    public let messageKey: MessageKey

    /// Creates a cause that no policy setting is responsible for.
    public init(_ check: LaunchCheck?, _ message: String, for messageKey: MessageKey = .refusedLocked) {
        self.messageKey = messageKey
        self.check = check?.rawValue
        setting = nil
        value = .null
        policyId = nil
        policyName = nil
        self.message = message
    }

    /// Creates the cause that corresponds to a finding of a launch.
    public init(_ finding: LaunchReport.Finding) {
        check = finding.check
        messageKey = finding.messageKey
        setting = finding.setting
        value = finding.value
        policyId = finding.policyId
        policyName = finding.policyName
        message = finding.message
    }

    /// The check, the setting and the message as one clause.
    var clause: String {
        guard let check else { return message }
        guard let setting, !message.mentions(setting) else { return "check \(check) failed: \(message)" }
        let title = (policyName.flatMap { $0.isEmpty ? nil : $0 } ?? policyId).map {
            " in “\(ForeignText.bounded($0, limit: 100))”"
        }
        let value = ForeignText.bounded(value.string ?? value.text, limit: 80)
        return "check \(check) failed, where \(setting) is \(value)\(title ?? ""): \(message)"
    }

    /// The members of a JSON object that describe the cause.
    public var members: [(key: String, value: JSON)] {
        [
            ("check", .optional(check)), ("setting", .optional(setting)), ("value", value),
            ("policyId", .optional(policyId)), ("policyName", .optional(policyName)),
        ]
    }
}
