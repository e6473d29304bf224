import MAMPolicy
import MAMState
import MAMSupport

/// PINs of accounts: docs/pin.md. What a PIN has to be is PINRule's; here it is kept, tried and changed.
extension Session {
    /// `mam_pin_status`.
    public func pinStatus(_ argument: AccountArgument) throws(MAMError) -> JSON {
        let account = try accountWithPolicy(argument)
        guard account.policy?.pinRule != nil else {
            return pinJSON(account, PINStanding(nil, isRequired: false, .none, now: clock.now()), nil)
        }
        let situation = try pinSituation(account)
        return pinJSON(account, situation.standing, situation.rule)
    }

    /// Refuse an account argument that names nobody, before a PIN is looked at.
    public func accountOfPIN(_ argument: AccountArgument) throws(MAMError) -> AccountArgument {
        _ = try named(argument)
        return argument
    }

    /// `mam_pin_verify`: returns when the PIN is right and may be used.
    public func verifyPIN(_ argument: AccountArgument, _ pin: SecretBytes) throws(MAMError) {
        let account = try accountWithPolicy(argument)
        let attempt = try attempted(pin, account)
        guard case .right(let standing) = attempt else { throw try refusal(attempt, account) }
        guard standing.opens else { throw Session.mustChange(standing.state) }
        try liftPIN(of: account.row.id)
    }

    /// `mam_pin_set`: the former PIN is needed where there is one, unless the person has just signed in.
    public func setPIN(_ argument: AccountArgument, old: SecretBytes?, new: SecretBytes) throws(MAMError) {
        let account = try accountWithPolicy(argument)
        try changePIN(of: account, old: old, new: new)
        try liftPIN(of: account.row.id)
    }

    /// `mam_pin_reset`.
    public func resetPIN(_ argument: AccountArgument) throws(MAMError) -> Int64 {
        let account = try accountWithPolicy(argument)
        guard account.policy?.pinRule != nil else { throw Session.noRule }
        try checkRoom()
        return start(.pin(PINConversation(account.row.id, account.named, .reset)))
    }

    /// Try a PIN. The host's log function is called when others may try again.
    func attempted(_ pin: SecretBytes, _ account: Account) throws(MAMError) -> PINAttempt {
        let attempt = try alone { () throws(MAMError) in try tryPIN(pin, try pinSituation(account)) }
        if case .right = attempt {
            log.write(.info, "the PIN of account \(account.row.id.hex) was entered")
        } else {
            log.write(.info, "the PIN of account \(account.row.id.hex) was not entered, or was wrong")
        }
        return attempt
    }

    // MARK: What is known

    /// The account of a name, where its policy is known: nothing is tried on the word of a lock-down.
    private func accountWithPolicy(_ argument: AccountArgument) throws(MAMError) -> Account {
        let identity = try named(argument)
        let snapshot = try current()
        try checkKnown(argument, snapshot)
        guard let account = snapshot.find(identity) else {
            if let problem = snapshot.problem(of: identity) { throw problem }
            throw Session.notEnrolled
        }
        try checkPolicy(of: account)
        return account
    }

    private func checkPolicy(of account: Account) throws(MAMError) {
        if let problem = account.problem { throw problem }
        guard account.isEnrolled else { throw Session.notEnrolled }
        guard account.policy?.isLockDown != true else {
            throw MAMError(.notEnrolled, "the account's policy is not known yet; check in first")
        }
    }

    /// Where an account stands now; `.denied` where no policy asks for a PIN. A row that was changed outside libmam is an
    /// error, or counts as none.
    func pinSituation(_ account: Account, despiteDamage: Bool = false) throws(MAMError) -> PINSituation {
        guard let rule = account.policy?.pinRule else { throw Session.noRule }
        let (subject, record) = try state.read { (view, _) throws(MAMError) -> (PINSubject, PINRecord?) in
            let subject = try view.pins.subject(of: Identity.fold(account.accountId))
            do throws(MAMError) { return (subject, try view.pins.load(subject)) } catch {
                guard despiteDamage, error.code == .tampered else { throw error }
                return (subject, nil)
            }
        }
        return PINSituation(
            account, rule: rule, isRequired: try answer(.pinRequired, of: account.ownParty, current()),
            subject: subject, record: record, now: clock.now())
    }

    func pinJSON(_ account: Account, _ standing: PINStanding, _ rule: PINRule?) -> JSON {
        let members: [(key: String, value: JSON)] = [
            ("state", .string(standing.state.rawValue)),
            ("attemptsLeft", standing.attemptsLeft.map { .integer(Int64($0)) } ?? .null),
            ("expires", .optional(standing.expires?.rfc3339)), ("rule", rule?.json ?? .null),
            ("attempts", rule.map { .integer(Int64($0.attempts)) } ?? .null),
            ("atLimit", .optional(rule?.atLimit.name)),
            ("wipeAfter", rule?.wipeAfter.map { .integer(Int64($0)) } ?? .null),
            ("mayReset", .bool(hasPINGrant(account.row.id))),
        ]
        return .object(account.named.members + members)
    }

    // MARK: Permission to set one anew

    /// How long the person who has signed in may take to choose a PIN.
    private static let grantLasts = TimeSpan.minutes(10)

    /// The person has signed in: this session may set the account's PIN without the former one for a while.
    func grantPIN(_ id: AccountRowID) {
        let until = TimeSpan(milliseconds: clock.sinceBoot().milliseconds &+ Session.grantLasts.milliseconds)
        let now = clock.sinceBoot()
        lock.held {
            pinGrants = pinGrants.filter { $0.value > now }
            pinGrants[id] = until
        }
    }

    func hasPINGrant(_ id: AccountRowID) -> Bool {
        let now = clock.sinceBoot()
        return lock.held { pinGrants[id].map { now < $0 } ?? false }
    }

    func takePINGrant(_ id: AccountRowID) { lock.held { pinGrants[id] = nil } }

    // MARK: Refusals

    /// Why an attempt does not do; an account whose policy says so is wiped.
    func refusal(_ attempt: PINAttempt, _ account: Account) throws(MAMError) -> MAMError {
        switch attempt {
        case .right, .notSet: return MAMError(.notFound, "no PIN is set; set one", [("reason", "notSet")])
        case .wrong(let left) where left > 0:
            return MAMError(
                .denied, "the PIN is wrong; \(left) \(left == 1 ? "attempt is" : "attempts are") left",
                [("reason", "wrong"), ("attemptsLeft", .integer(Int64(left)))])
        case .wrong:
            let isWiped = try wipeAtLimit(account)
            return MAMError(
                .denied, "the PIN is wrong, and it was the last attempt; \(Session.consequence(isWiped))",
                [("reason", "wrong"), ("attemptsLeft", 0), ("wiped", .bool(isWiped))])
        case .exhausted:
            let isWiped = try wipeAtLimit(account)
            return MAMError(
                .locked, "every attempt at the PIN is used up; \(Session.consequence(isWiped))",
                [("reason", "exhausted"), ("attemptsLeft", 0), ("wiped", .bool(isWiped))])
        }
    }

    private static func consequence(_ isWiped: Bool) -> String {
        isWiped ? "the account is wiped in this app" : "reset the PIN by signing in"
    }

    static func mustChange(_ state: PINStanding.State) -> MAMError {
        let why = state == .expired ? "its time is over" : "the policy asks for more since it was set"
        return MAMError(
            .locked, "the PIN is right and has to be changed: \(why)", [("reason", .string(state.rawValue))])
    }

    private static let notEnrolled = MAMError(
        .notEnrolled, "the account is not enrolled in this app; it has no PIN here")
    static let noRule = MAMError(.denied, "the account's policy asks for no PIN", [("reason", "notRequired")])
}
