import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

/// One account of this app as a snapshot holds it.
final class Account: Sendable {
    let row: AccountRow
    let state: EnrollmentState
    /// Whether it counts as enrolled by a test policy: no authority is asked about it.
    let isTest: Bool
    /// Its names in the form that is compared.
    let names: [[UInt8]]
    /// Names that it had before, in the same form.
    let formerNames: [[UInt8]]
    /// Its policy; nil while it is not managed.
    let policy: EffectivePolicy?
    /// What the authority configures its app with; empty while it is not enrolled.
    let configurations: AppConfigurations
    /// Why what it is configured with is not known: a row that does not verify. The next successful check-in replaces it.
    let configurationProblem: MAMError?
    /// Its newest data key.
    let key: DataKey?
    /// Those before it, as far as they were needed.
    let formerKeys: FormerKeys
    /// Whether it was ever managed in this app: a key was made for it, or may have been.
    let wasManaged: Bool
    /// Why its data stays closed: a row that does not verify. The next successful check-in replaces its policy.
    let problem: MAMError?

    /// What is known of the account itself that closes it, in every session of the app.
    let ownFindings: [LaunchReport.Finding]
    /// What this session has found of it that closes it.
    let sessionFindings: [LaunchReport.Finding]
    /// Why it is closed in this session; nil where it is not.
    let launchGuard: LaunchGuard?

    /// Seals its data; nil while it is not managed or its data stays closed.
    let sealer: Sealer?

    init(
        row: AccountRow, state: EnrollmentState, isTest: Bool, names: [[UInt8]], policy: EffectivePolicy?,
        configurations: Result<AppConfigurations, MAMError>, key: DataKey?, wasManaged: Bool, problem: MAMError?
    ) {
        self.row = row
        self.wasManaged = wasManaged
        self.state = state
        self.isTest = isTest
        self.names = names
        formerNames = row.record.formerNames.map { Identity.fold($0) }
        self.policy = policy
        switch configurations {
        case .success(let configurations): (self.configurations, configurationProblem) = (configurations, nil)
        case .failure(let problem): (self.configurations, configurationProblem) = (.none, problem)
        }
        self.key = key
        formerKeys = FormerKeys()
        self.problem = problem
        ownFindings = Account.standing(row, state: state, policy, problem)
        sessionFindings = []
        launchGuard = LaunchGuard(ownFindings)
        let owner = Array((row.record.accountId ?? row.record.upn ?? "").utf8)
        self.sealer =
            policy == nil || problem != nil
            ? nil : key.map { Sealer(account: owner, kind: .sealed($0), content: .data) }
    }

    /// The same with another record.
    convenience init(_ other: Account, row: AccountRow) {
        self.init(other, row: row, found: other.sessionFindings)
    }

    /// The same, with what a session has found of it.
    convenience init(_ other: Account, found: [LaunchReport.Finding]) {
        self.init(other, row: other.row, found: found)
    }

    private init(_ other: Account, row: AccountRow, found: [LaunchReport.Finding]) {
        self.row = row
        ownFindings = Account.standing(row, state: other.state, other.policy, other.problem)
        sessionFindings = found
        launchGuard = LaunchGuard(ownFindings + found)
        state = other.state
        isTest = other.isTest
        names = other.names
        formerNames = other.formerNames
        policy = other.policy
        configurations = other.configurations
        configurationProblem = other.configurationProblem
        key = other.key
        wasManaged = other.wasManaged
        formerKeys = other.formerKeys
        problem = other.problem
        sealer = other.sealer
    }

    /// What the state says of an account that closes it. Between an enrollment and the answer to its first check-in its policy
    /// refuses everything, and nothing is found yet: the enrollment is under way.
    private static func standing(
        _ row: AccountRow, state: EnrollmentState, _ policy: EffectivePolicy?, _ problem: MAMError?
    ) -> [LaunchReport.Finding] {
        let record = row.record
        let closing = LaunchHistory(json: record.launch).closing
        guard state == .enrolled else { return closing }
        guard let policy, problem != nil || record.lastCode != nil else { return closing }
        let closed = problem.map { "The account's data stays closed: \($0.message)" }
        return policy.standing(closed: closed, isDisabled: record.isDisabled)
            + closing
    }

    /// Whether the account has a name now, compared with ASCII letters folded.
    func isNamed(_ name: UnsafeBufferPointer<UInt8>) -> Bool { names.contains { Account.isSame($0, name) } }

    /// Whether the account had a name before.
    func wasNamed(_ name: UnsafeBufferPointer<UInt8>) -> Bool { formerNames.contains { Account.isSame($0, name) } }

    private static func isSame(_ folded: [UInt8], _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard folded.count == name.count else { return false }
        for index in folded.indices where folded[index] != Identity.fold(name[index]) { return false }
        return true
    }

    var record: AccountRecord { row.record }
    var isEnrolled: Bool { state == .enrolled }
    /// Whether it was managed here and was unenrolled without a wipe: what it has stays readable.
    var hasLeft: Bool { state == .unenrolled && wasManaged }
    /// Whether it was registered, never managed, and deregistered: its names mean what they meant before.
    var isForgotten: Bool { state == .unenrolled && !wasManaged }
    /// The object id, or the UPN while that is not known.
    var accountId: String { record.accountId ?? record.upn ?? "" }

    /// The side of a decision that this account is on.
    var party: Party {
        guard let launchGuard else { return ownParty }
        return .managed(accountId: accountId, tenantId: record.tenantId, policy: .lockDown(launchGuard.cause))
    }

    /// The same, closed or not.
    var ownParty: Party {
        guard let policy else { return .unmanaged }
        return .managed(accountId: accountId, tenantId: record.tenantId, policy: policy)
    }

    /// As `mam_registered_accounts` shows it.
    func json(next: Instant?) -> JSON {
        [
            "accountId": .optional(record.accountId), "upn": .optional(record.upn),
            "tenantId": .optional(record.tenantId),
            "state": .string(state.rawValue), "managed": .bool(policy != nil), "test": .bool(isTest),
            "lastCheckIn": .optional(record.lastCheckIn?.rfc3339),
            "nextCheckIn": .optional(next?.rfc3339),
            "lastCode": record.lastCode.map(JSON.integer) ?? .null, "lastMessage": .optional(record.lastMessage),
        ]
    }
}
