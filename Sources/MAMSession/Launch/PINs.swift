import MAMPolicy
import MAMState
import MAMSupport

/// Opens accounts that were closed only because their PIN was not entered.
protocol PINBlocking: AnyObject, Sendable {
    /// The person has entered or set the PIN outside a launch.
    func removePINFindings(of id: AccountRowID) throws(MAMError)
}

/// PINs of accounts, docs/pin.md: stored, tried and changed here. ``PINRule`` decides what a PIN has to be.
public final class PINs: SessionService, LaunchPINs, Sendable {
    let context: SessionContext
    let blocks: any PINBlocking
    let wipes: any AccountWiping
    /// Until when (since boot) an account's PIN may be set without the former one, because the person has signed in.
    private let grants = Locked<[AccountRowID: TimeSpan]>([:])

    init(_ context: SessionContext, _ blocks: any PINBlocking, _ wipes: any AccountWiping) {
        (self.context, self.blocks, self.wipes) = (context, blocks, wipes)
    }

    /// `mam_pin_status`.
    public func status(of argument: AccountArgument) throws(MAMError) -> JSON {
        let account = try self.account(named: argument)
        guard account.policy?.pinRule != nil else {
            return json(account, PINStatus(nil, isRequired: false, .none, now: clock.now()), nil)
        }
        let pin = try accountPIN(account)
        return json(account, pin.status, pin.rule)
    }

    /// `mam_pin_verify`: fails unless the PIN is right and may be used.
    public func verify(_ argument: AccountArgument, _ pin: SecretBytes) throws(MAMError) {
        let account = try self.account(named: argument)
        let attempt = try check(pin, of: account)
        guard case .right(let status) = attempt else {
            let isWiped = try wipeIfLastAttempt(attempt, of: account)
            throw PINs.error(for: attempt, isWiped: isWiped)
        }
        guard status.opens else { throw PINs.mustChange(status.state) }
        try blocks.removePINFindings(of: account.row.id)
    }

    /// `mam_pin_set`: needs the former PIN where there is one, unless the person has just signed in.
    public func set(_ argument: AccountArgument, old: SecretBytes?, new: SecretBytes) throws(MAMError) {
        let account = try self.account(named: argument)
        try change(of: account, old: old, new: new)
        try blocks.removePINFindings(of: account.row.id)
    }

    /// `mam_pin_reset`.
    public func reset(_ argument: AccountArgument) throws(MAMError) -> Int64 {
        let account = try self.account(named: argument)
        guard account.policy?.pinRule != nil else { throw PINs.noRule }
        try operations.checkRoom()
        return operations.start(.pin(PINConversation(account, .reset)))
    }

    // MARK: Reading

    /// The account of a name. Its policy must be known: nothing is tried under a lock-down.
    private func account(named argument: AccountArgument) throws(MAMError) -> Account {
        let identity = try argument.named()
        let snapshot = try current()
        try snapshot.checkKnown(argument)
        guard let account = snapshot.find(identity) else {
            if let problem = snapshot.problem(of: identity) { throw problem }
            throw snapshot.notEnrolled(identity, "it has no PIN here")
        }
        if let problem = account.problem { throw problem }
        guard account.isEnrolled else { throw snapshot.notEnrolled(identity, "it has no PIN here") }
        guard account.policy?.isLockDown != true else {
            throw MAMError(.notEnrolled, "the account's policy is not known yet; check in first")
        }
        return account
    }

    func accountPIN(_ account: Account) throws(MAMError) -> AccountPIN { try accountPIN(account, despiteDamage: false) }

    /// An account's PIN; `.denied` where no policy asks for one. A row that does not verify is an error, or counts as none.
    func accountPIN(_ account: Account, despiteDamage: Bool) throws(MAMError) -> AccountPIN {
        guard let rule = account.policy?.pinRule else { throw PINs.noRule }
        let (subject, record) = try state.read { (view, _) throws(MAMError) -> (PINSubject, PINRecord?) in
            let subject = try view.pins.subject(of: Identity.fold(account.accountId))
            do throws(MAMError) { return (subject, try view.pins.load(subject)) } catch {
                guard despiteDamage, error.code == .tampered else { throw error }
                return (subject, nil)
            }
        }
        return AccountPIN(
            account, rule: rule, isRequired: try current().answer(.pinRequired, of: account.ownAccountPolicy),
            subject: subject, record: record, now: clock.now())
    }

    private func json(_ account: Account, _ status: PINStatus, _ rule: PINRule?) -> JSON {
        let members: [(key: String, value: JSON)] = [
            ("state", .string(status.state.rawValue)),
            ("attemptsLeft", status.attemptsLeft.map { .integer(Int64($0)) } ?? .null),
            ("expires", .optional(status.expires?.rfc3339)), ("rule", rule?.json ?? .null),
            ("attempts", rule.map { .integer(Int64($0.maximumAttempts)) } ?? .null),
            ("atLimit", .optional(rule?.retryLimitAction.name)),
            ("wipeAfter", rule?.wipeAfter.map { .integer(Int64($0)) } ?? .null),
            ("mayReset", .bool(hasGrant(account.row.id))),
        ]
        return .object(account.named.members + members)
    }

    // MARK: Grants

    /// How long a person who has signed in may take to choose a PIN.
    private static let grantLasts = TimeSpan.minutes(10)

    /// Let this session set the account's PIN without the former one for a while: the person has signed in.
    func grant(_ id: AccountRowID) {
        let until = TimeSpan(milliseconds: clock.sinceBoot().milliseconds &+ PINs.grantLasts.milliseconds)
        let now = clock.sinceBoot()
        grants.withLock { grants in
            grants = grants.filter { $0.value > now }
            grants[id] = until
        }
    }

    func hasGrant(_ id: AccountRowID) -> Bool {
        let now = clock.sinceBoot()
        return grants.withLock { $0[id].map { now < $0 } ?? false }
    }

    func endGrant(_ id: AccountRowID) { grants.withLock { $0[id] = nil } }

    var locks: [any ForkAware] { [grants] }

    // MARK: Errors

    /// The error for an attempt that does not open the account. `isWiped`: the attempt has wiped it.
    static func error(for attempt: PINAttempt, isWiped: Bool) -> MAMError {
        switch attempt {
        case .right, .notSet:
            MAMError(.notFound, "no PIN is set; set one", [("reason", "notSet")], for: .pinChoose)
        case .wrong(let left) where left > 0:
            MAMError(
                .denied, "the PIN is wrong; \(left) \(left == 1 ? "attempt is" : "attempts are") left",
                [("reason", "wrong"), ("attemptsLeft", .integer(Int64(left)))], for: .pinWrong)
        case .wrong:
            MAMError(
                .denied, "the PIN is wrong, and it was the last attempt; \(consequence(isWiped))",
                [("reason", "wrong"), ("attemptsLeft", 0), ("wiped", .bool(isWiped))],
                for: isWiped ? .pinUsedUpRemoved : .pinUsedUp)
        case .exhausted:
            MAMError(
                .locked, "every attempt at the PIN is used up; \(consequence(isWiped))",
                [("reason", "exhausted"), ("attemptsLeft", 0), ("wiped", .bool(isWiped))],
                for: isWiped ? .pinUsedUpRemoved : .pinUsedUp)
        }
    }

    private static func consequence(_ isWiped: Bool) -> String {
        isWiped ? "the account is wiped in this app" : "reset the PIN by signing in"
    }

    private static func mustChange(_ state: PINStatus.State) -> MAMError {
        let why = state == .expired ? "its time is over" : "the policy asks for more since it was set"
        return MAMError(
            .locked, "the PIN is right and has to be changed: \(why)", [("reason", .string(state.rawValue))],
            for: .pinChange)
    }

    static let noRule = MAMError(
        .denied, "the account's policy asks for no PIN", [("reason", "notRequired")], for: .pinNotRequired)
}
