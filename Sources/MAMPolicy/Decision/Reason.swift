import MAMSupport

/// The reason for a refusal or requirement: the one setting whose neutral value alone reverses the decision;
/// docs/decisions/07-reasons.md.
public struct Reason: Sendable, Equatable {
    /// The setting; nil if no policy setting decided. In lock-down, the setting that requires the failed check.
    public let setting: String?
    /// The setting's value.
    public let value: JSON
    /// The id of the policy that contains the setting.
    public let policyId: String?
    /// That policy's name.
    public let policyName: String?
    /// One line for the administrator.
    public let message: String
    /// The message for the person who uses the host.
    public let messageKey: MessageKey
    /// The ids of other policies that refuse as well and must change too; empty if changing the one setting is enough. If one
    /// policy restricts both sides of a transfer by different settings, its own id can be among them.
    public let alsoIn: [String]
    /// The launch check that closed the account in lock-down; nil if none did.
    public let check: String?
    /// Whether the setting's neutral value reverses the decision.
    private let isTurnable: Bool

    /// Creates the reason for a refusal that no setting can reverse.
    init(noSetting action: RefusedAction, _ why: String? = nil) {
        check = nil
        messageKey = action.messageKey
        isTurnable = false
        setting = nil
        value = .null
        policyId = nil
        policyName = nil
        message = why.map { "\(action.words): \($0)" } ?? action.words
        alsoIn = []
    }

    /// Creates the reason for a refusal in lock-down; `subject` names the account in the message.
    init(_ action: RefusedAction, _ subject: String, lockedDownBy cause: LockDownCause?) {
        messageKey = cause?.messageKey ?? .refusedLocked
        check = cause?.check
        isTurnable = false
        setting = cause?.setting
        value = cause?.value ?? .null
        policyId = cause?.policyId
        policyName = cause?.policyName
        message = "\(action.words): \(subject) is locked down\(cause.map { ": \($0.clause)" } ?? "")"
        alsoIn = []
    }

    init(
        _ action: RefusedAction, _ setting: PolicySetting, of policy: EffectivePolicy.MergedPolicy, message: String,
        alsoIn: [String]
    ) {
        check = nil
        messageKey = action.messageKey
        isTurnable = true
        self.setting = setting.name
        value = policy.settings.value(setting)
        policyId = policy.id
        policyName = policy.name
        self.message = message
        self.alsoIn = alsoIn
    }

    private init(_ reason: Reason, message: String, alsoIn: [String]) {
        check = reason.check
        messageKey = reason.messageKey
        isTurnable = reason.isTurnable
        setting = reason.setting
        value = reason.value
        policyId = reason.policyId
        policyName = reason.policyName
        self.message = message
        self.alsoIn = alsoIn
    }

    /// Combines the reasons of both sides: the first one, with the other's policies in ``alsoIn``. A reason that no setting can
    /// reverse stands alone.
    static func both(_ mine: Reason?, _ theirs: Reason?) -> Reason? {
        guard let mine, mine.isTurnable else { return mine ?? theirs }
        guard let theirs else { return mine }
        guard theirs.isTurnable, let setting = theirs.setting, let policy = theirs.policyId else { return theirs }
        return Reason(
            mine, message: "\(mine.message); \(setting) of the other account refuses it too",
            alsoIn: mine.alsoIn + ([policy] + theirs.alsoIn).filter { !mine.alsoIn.contains($0) })
    }

    /// The member "reason" of the reply of `mam_policy_check`.
    public func json(in language: Language) -> JSON {
        let members: [(key: String, value: JSON)] = [
            ("setting", .optional(setting)), ("value", value), ("policyId", .optional(policyId)),
            ("policyName", .optional(policyName)), ("message", .string(message)), ("alsoIn", .strings(alsoIn)),
        ]
        return .object(members + language.members(messageKey) + (check.map { [("check", .string($0))] } ?? []))
    }
}
