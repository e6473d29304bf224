import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

/// One account of this app in a snapshot.
final class Account: Sendable {
    let row: AccountRow
    let state: EnrollmentState
    /// Whether the account is enrolled by a test policy, without an authority.
    let isTest: Bool
    /// Its folded names, for comparison.
    let names: [[UInt8]]
    /// Its former names, folded.
    let formerNames: [[UInt8]]
    /// Its policy; nil while it is not managed.
    let policy: EffectivePolicy?
    /// Its app configurations from the authority; empty while it is not enrolled.
    let configurations: AppConfigurations
    /// The error of a configuration row that does not verify. The next successful check-in replaces the row.
    let configurationProblem: MAMError?
    /// Its newest data key.
    let key: DataKey?
    /// Its former data keys, as far as they were needed.
    let formerKeys: FormerKeyCache
    /// Whether it was ever managed in this app: a key was made for it, or may have been.
    let wasManaged: Bool
    /// The error that keeps its data closed. The next successful check-in replaces its policy.
    let problem: MAMError?

    /// Findings in the state that block the account, in every session of the app.
    let ownFindings: [LaunchReport.Finding]
    /// Findings of this session that block the account.
    let sessionFindings: [LaunchReport.Finding]
    /// Why the account is closed in this session; nil if it is not.
    let launchBlock: LaunchBlock?

    /// Whether its data may be read while the screen is locked.
    let lockedReading: LockedReading

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
        formerKeys = FormerKeyCache()
        self.problem = problem
        ownFindings = Account.stateFindings(row, state: state, policy, problem)
        sessionFindings = []
        launchBlock = LaunchBlock(ownFindings)
        lockedReading = policy?.lockedReading ?? .allowed
        let owner = Array((row.record.accountId ?? row.record.upn ?? "").utf8)
        self.sealer =
            policy == nil || problem != nil
            ? nil : key.map { Sealer(account: owner, kind: .sealed($0), content: .data) }
    }

    /// A copy with another record.
    convenience init(_ other: Account, row: AccountRow) {
        self.init(other, row: row, found: other.sessionFindings)
    }

    /// A copy with a session's findings.
    convenience init(_ other: Account, found: [LaunchReport.Finding]) {
        self.init(other, row: other.row, found: found)
    }

    private init(_ other: Account, row: AccountRow, found: [LaunchReport.Finding]) {
        self.row = row
        ownFindings = Account.stateFindings(row, state: other.state, other.policy, other.problem)
        sessionFindings = found
        launchBlock = LaunchBlock(ownFindings + found)
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
        lockedReading = other.lockedReading
        sealer = other.sealer
    }

    /// The findings in the state that close an account. Between an enrollment and the reply to its first check-in there are none:
    /// the policy refuses everything while the enrollment is under way.
    private static func stateFindings(
        _ row: AccountRow, state: EnrollmentState, _ policy: EffectivePolicy?, _ problem: MAMError?
    ) -> [LaunchReport.Finding] {
        let record = row.record
        let closing = record.launchHistory.closing
        guard state == .enrolled else { return closing }
        guard let policy, problem != nil || record.lastCode != nil else { return closing }
        let closed = problem.map { "The account's data stays closed: \($0.message)" }
        return policy.accountFindings(closed: closed, isDisabled: record.isDisabled)
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
    /// Whether it was managed here and was unenrolled without a wipe: its data stays readable.
    var hasLeft: Bool { state == .unenrolled && wasManaged }
    /// Whether it was registered, never managed, and deregistered: its names mean what they meant before the registration.
    var isForgotten: Bool { state == .unenrolled && !wasManaged }
    /// The object id, or the UPN while the id is unknown.
    var accountId: String { record.accountId ?? record.upn ?? "" }

    /// The policy that decides for the account: a lock-down while it is closed.
    var accountPolicy: AccountPolicy {
        guard let launchBlock else { return ownAccountPolicy }
        return .managed(accountId: accountId, tenantId: record.tenantId, policy: .lockDown(launchBlock.cause))
    }

    /// The account's own policy, whether it is closed or not.
    var ownAccountPolicy: AccountPolicy {
        guard let policy else { return .unmanaged }
        return .managed(accountId: accountId, tenantId: record.tenantId, policy: policy)
    }

    /// The form of `mam_registered_accounts`.
    func json(next: Instant?) -> JSON {
        [
            "accountId": .optional(record.accountId), "upn": .optional(record.upn),
            "tenantId": .optional(record.tenantId),
            "state": .string(state.rawValue), "managed": .bool(policy != nil), "test": .bool(isTest),
            "lastCheckIn": .optional(record.lastCheckIn?.rfc3339),
            "lastAttempt": .optional(record.lastAttempt?.rfc3339),
            "nextCheckIn": .optional(next?.rfc3339),
            "lastCode": record.lastCode.map(JSON.integer) ?? .null, "lastMessage": .optional(record.lastMessage),
        ]
    }
}
