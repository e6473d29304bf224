import MAMSupport

extension LaunchReport {
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
            check: String, action: Action, setting: String?, accountId: String?, message: String, value: JSON = .null,
            policyId: String? = nil, policyName: String? = nil
        ) {
            self.check = check
            self.action = action
            self.setting = setting
            self.accountId = accountId
            self.message = message
            self.value = value
            self.policyId = policyId
            self.policyName = policyName
        }

        /// The same, about an account.
        public func about(_ accountId: String) -> Finding {
            var copy = Finding(
                check: check, action: action, setting: setting, accountId: accountId, message: message, value: value,
                policyId: policyId, policyName: policyName)
            copy.isDismissed = isDismissed
            return copy
        }

        /// What tells it from others: with another value, or another thing found, it is another one. (The message holds both.)
        public var subject: String { "\(check)\n\(setting ?? "")\n\(message)" }

        var json: JSON {
            [
                "check": .string(check), "action": .string(action.rawValue), "setting": .optional(setting),
                "accountId": .optional(accountId), "message": .string(message), "value": value,
                "policyId": .optional(policyId), "policyName": .optional(policyName), "dismissed": .bool(isDismissed),
            ]
        }
    }

    /// A check that a policy asks for and that means nothing on this host: neither passed nor failed.
    public struct NotApplicable: Sendable {
        /// The setting.
        public let setting: String
        /// The account; nil in a report of one.
        public var accountId: String?
        /// The policy.
        public let policyId: String
        /// That policy's name.
        public let policyName: String
        /// One line: why.
        public let message: String

        var json: JSON {
            [
                "setting": .string(setting), "accountId": .optional(accountId), "policyId": .string(policyId),
                "policyName": .string(policyName), "message": .string(message),
            ]
        }
    }
}
