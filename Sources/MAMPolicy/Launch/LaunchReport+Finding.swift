import MAMSupport

extension LaunchReport {
    /// What a check found.
    public struct Finding: Sendable, Equatable {
        /// The check's name in JSON.
        public let check: String
        /// What it asks for.
        public let action: Action
        /// The setting that asks for it.
        public let setting: String?
        /// The account that it is about; nil where it is about the app.
        public private(set) var account: NamedAccount?
        /// One line: what happened and what to do.
        public let message: String
        /// The setting's value.
        public let value: JSON
        /// The policy that the setting is in.
        public let policyId: String?
        /// That policy's name.
        public let policyName: String?
        /// What the person has seen before: it counts no more until something in it changes.
        public var isDismissed = false

        /// A finding.
        public init(
            check: String, action: Action, setting: String?, message: String, value: JSON = .null,
            policyId: String? = nil,
            policyName: String? = nil
        ) {
            self.check = check
            self.action = action
            self.setting = setting
            self.message = message
            self.value = value
            self.policyId = policyId
            self.policyName = policyName
        }

        /// From what the state kept; nil where that is something else.
        public init?(json: JSON?) {
            guard let json, let check = json["check"]?.string, let message = json["message"]?.string,
                let action = json["action"]?.string.flatMap(LaunchReport.Action.init(rawValue:))
            else { return nil }
            self.init(
                check: check, action: action, setting: json["setting"]?.string, message: message,
                value: json["value"] ?? .null, policyId: json["policyId"]?.string,
                policyName: json["policyName"]?.string)
        }

        /// The same, about an account.
        public func about(_ account: NamedAccount) -> Finding {
            var copy = self
            copy.account = account
            return copy
        }

        /// Whether it closes an account: it blocks, or asks for what was not shown.
        public var isClosing: Bool { action == .block || action == .prompt }

        /// The check, where this release knows it.
        public var known: LaunchCheck? { LaunchCheck(rawValue: check) }

        /// What tells it from others: with another value, or another thing found, it is another one. (The message holds both.)
        public var subject: String { "\(check)\n\(setting ?? "")\n\(message)" }

        /// As reports and the state have it.
        public var json: JSON {
            let first: [(key: String, value: JSON)] = [
                ("check", .string(check)), ("action", .string(action.rawValue)), ("setting", .optional(setting)),
            ]
            let last: [(key: String, value: JSON)] = [
                ("message", .string(message)), ("value", value), ("policyId", .optional(policyId)),
                ("policyName", .optional(policyName)), ("dismissed", .bool(isDismissed)),
            ]
            return .object(first + NamedAccount.members(account) + last)
        }
    }

    /// A check that a policy asks for and that means nothing on this host: neither passed nor failed.
    public struct NotApplicable: Sendable {
        /// The setting.
        public let setting: String
        /// The account; nil in a report of one.
        public private(set) var account: NamedAccount?
        /// The policy.
        public let policyId: String
        /// That policy's name.
        public let policyName: String
        /// One line: why.
        public let message: String

        init(setting: String, policyId: String, policyName: String, message: String) {
            self.setting = setting
            self.policyId = policyId
            self.policyName = policyName
            self.message = message
        }

        /// The same, about an account.
        public func about(_ account: NamedAccount) -> NotApplicable {
            var copy = self
            copy.account = account
            return copy
        }

        var json: JSON {
            let last: [(key: String, value: JSON)] = [
                ("policyId", .string(policyId)), ("policyName", .string(policyName)), ("message", .string(message)),
            ]
            return .object([("setting", .string(setting))] + NamedAccount.members(account) + last)
        }
    }
}
