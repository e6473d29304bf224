import MAMSupport

/// Why something is refused or required: the one setting whose neutral value alone turns the decision;
/// docs/decisions/07-reasons.md.
public struct Reason: Sendable, Equatable {
    /// The setting; nil where no setting of a policy decided. In lock-down the one that asked for the check that failed.
    public let setting: String?
    /// Its value.
    public let value: JSON
    /// The policy it is in.
    public let policyId: String?
    /// That policy's name.
    public let policyName: String?
    /// One line for people.
    public let message: String
    /// Policies that refuse it as well: they must change too. Empty where the one change is enough. (Where the same
    /// policy restrains both sides of a transfer, it can be this policy itself, by another setting.)
    public let alsoIn: [String]
    /// In lock-down the launch check that closed the account; nil where none did.
    public let check: String?
    /// Whether the setting's neutral value turns the decision.
    private let isTurnable: Bool

    /// A refusal that no setting can turn.
    init(noSetting message: String) {
        check = nil
        isTurnable = false
        setting = nil
        value = .null
        policyId = nil
        policyName = nil
        self.message = message
        alsoIn = []
    }

    /// A refusal in lock-down; `subject` is the account in the message's words.
    init(_ refusal: String, _ subject: String, lockedDownBy cause: LockDownCause?) {
        check = cause?.check
        isTurnable = false
        setting = cause?.setting
        value = cause?.value ?? .null
        policyId = cause?.policyId
        policyName = cause?.policyName
        message = "\(refusal): \(subject) is locked down\(cause.map { ": \($0.clause)" } ?? "")"
        alsoIn = []
    }

    init(_ setting: PolicySetting, of part: EffectivePolicy.Part, message: String, alsoIn: [String]) {
        check = nil
        isTurnable = true
        self.setting = setting.name
        value = part.settings.value(setting)
        policyId = part.id
        policyName = part.name
        self.message = message
        self.alsoIn = alsoIn
    }

    private init(_ reason: Reason, message: String, alsoIn: [String]) {
        check = reason.check
        isTurnable = reason.isTurnable
        setting = reason.setting
        value = reason.value
        policyId = reason.policyId
        policyName = reason.policyName
        self.message = message
        self.alsoIn = alsoIn
    }

    /// The first of two reasons, with the other's policies as ones that refuse as well. A reason that no setting can turn
    /// stands alone.
    static func both(_ mine: Reason?, _ theirs: Reason?) -> Reason? {
        guard let mine, mine.isTurnable else { return mine ?? theirs }
        guard let theirs else { return mine }
        guard theirs.isTurnable, let setting = theirs.setting, let policy = theirs.policyId else { return theirs }
        return Reason(
            mine, message: "\(mine.message); \(setting) of the other account refuses it too",
            alsoIn: mine.alsoIn + ([policy] + theirs.alsoIn).filter { !mine.alsoIn.contains($0) })
    }

    /// The shape of "reason" in `mam_policy_check`.
    public var json: JSON {
        let members: [(key: String, value: JSON)] = [
            ("setting", .optional(setting)), ("value", value), ("policyId", .optional(policyId)),
            ("policyName", .optional(policyName)), ("message", .string(message)), ("alsoIn", .strings(alsoIn)),
        ]
        return .object(members + (check.map { [("check", .string($0))] } ?? []))
    }
}
