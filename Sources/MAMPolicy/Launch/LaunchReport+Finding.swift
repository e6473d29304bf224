import MAMSupport

extension LaunchReport {
    /// The result of a launch check.
    public struct Finding: Sendable, Equatable {
        /// The check's name in JSON.
        public let check: String
        /// The action that follows.
        public let action: Action
        /// The setting that requires the action.
        public let setting: String?
        /// The account; nil if the finding is about the app.
        public private(set) var account: NamedAccount?
        /// One line for the administrator that says what happened and what to do.
        public let message: String
        /// The message for the person who uses the host.
        public let messageKey: MessageKey
        /// The setting's value.
        public let value: JSON
        /// The id of the policy that contains the setting.
        public let policyId: String?
        /// That policy's name.
        public let policyName: String?
        /// Whether the person has seen this warning before. It does not count until it changes.
        public var isDismissed = false

        /// Creates a finding.
        public init(
            check: String, action: Action, setting: String?, message: String, value: JSON = .null,
            policyId: String? = nil,
            policyName: String? = nil, messageKey: MessageKey? = nil
        ) {
            self.messageKey = messageKey ?? MessageKey(LaunchCheck(rawValue: check), action)
            self.check = check
            self.action = action
            self.setting = setting
            self.message = message
            self.value = value
            self.policyId = policyId
            self.policyName = policyName
        }

        /// Parses the stored form; nil if it is malformed.
        public init?(json: JSON?) {
            guard let json, let check = json["check"]?.string, let message = json["message"]?.string,
                let action = json["action"]?.string.flatMap(LaunchReport.Action.init(rawValue:))
            else { return nil }
            self.init(
                check: check, action: action, setting: json["setting"]?.string, message: message,
                value: json["value"] ?? .null, policyId: json["policyId"]?.string,
                policyName: json["policyName"]?.string)
        }

        /// Returns a copy that names the account.
        public func about(_ account: NamedAccount) -> Finding {
            var copy = self
            copy.account = account
            return copy
        }

        /// Whether the finding closes the account: it blocks, or prompts for an authentication.
        public var isClosing: Bool { action == .block || action == .prompt }

        /// The check; nil if this release does not know it.
        public var known: LaunchCheck? { LaunchCheck(rawValue: check) }

        /// The identity of the finding. It includes the message, so that a finding with another value is another finding.
        public var subject: String { "\(check)\n\(setting ?? "")\n\(message)" }

        /// The form in reports.
        public func json(in language: Language) -> JSON { .object(members + language.members(messageKey)) }

        /// The stored form.
        public var stored: JSON { .object(members) }

        private var members: [(key: String, value: JSON)] {
            let first: [(key: String, value: JSON)] = [
                ("check", .string(check)), ("action", .string(action.rawValue)), ("setting", .optional(setting)),
            ]
            let last: [(key: String, value: JSON)] = [
                ("message", .string(message)), ("value", value), ("policyId", .optional(policyId)),
                ("policyName", .optional(policyName)), ("dismissed", .bool(isDismissed)),
            ]
            return first + NamedAccount.members(account) + last
        }
    }

    /// A policy setting that does not apply to this host: it neither passes nor fails.
    public struct NotApplicable: Sendable {
        /// The setting.
        public let setting: String
        /// The account; nil in a report about one account.
        public private(set) var account: NamedAccount?
        /// The policy's id.
        public let policyId: String
        /// The policy's name.
        public let policyName: String
        /// One line that gives the reason.
        public let message: String

        init(setting: String, policyId: String, policyName: String, message: String) {
            self.setting = setting
            self.policyId = policyId
            self.policyName = policyName
            self.message = message
        }

        /// Returns a copy that names the account.
        public func about(_ account: NamedAccount) -> NotApplicable {
            var copy = self
            copy.account = account
            return copy
        }

        /// The form in reports.
        func json(in language: Language) -> JSON {
            let last: [(key: String, value: JSON)] = [
                ("policyId", .string(policyId)), ("policyName", .string(policyName)), ("message", .string(message)),
            ]
            return .object(
                [("setting", .string(setting))] + NamedAccount.members(account) + last
                    + language.members(.launchNotApplicable))
        }
    }
}
