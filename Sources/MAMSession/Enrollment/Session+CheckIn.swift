import CPlatform
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

extension Session {
    /// Check accounts in, one after the other; the worst status counts.
    func checkIn(_ ids: [AccountRowID]) throws(MAMError) -> Outcome {
        var worst: EnrollmentStatus?
        for id in ids {
            guard let account = try currentRecords().accounts.first(where: { $0.row.id == id }), account.isEnrolled
            else {
                continue
            }
            let outcome = try checkIn(account, isFirst: false)
            guard case .ended(.enrollment(let status)) = outcome else { return outcome }
            if worst.map({ status.code.rawValue > $0.code.rawValue }) ?? true { worst = status }
        }
        return .done(worst ?? status(.appNotEnrolled))
    }

    /// Ask the authority for policy and commands, and commit what it says in one transaction.
    func checkIn(_ account: Account, isFirst: Bool) throws(MAMError) -> Outcome {
        if account.isTest { return .done(tellTest(account, .policiesHaveNotChanged)) }
        switch try askToCheckIn(account) {
        case .success(let reply): return .done(try received(reply, for: account, isFirst: isFirst))
        // Asked first all the same: a wipe reaches an enrollment that the authority has forgotten.
        case .failure(let failure) where failure.code == .policyRecordGone && account.record.isGone && !isFirst:
            return try enrollAgain(account)
        case .failure(let failure) where failure.isRefusal && !isFirst:
            if let wiped = try wipeRefused(account, failure.code, failure.message) { return .done(wiped) }
            return .done(try checkInFailed(account, failure.code, failure.message))
        case .failure(let failure):
            if isFirst { tellEnrolled(account, "everything is refused until its policy has come") }
            return .done(try checkInFailed(account, failure.code, failure.message))
        }
    }

    /// Ask. An authority that has seen a higher counter of this state asks to read it again: another app of the state may have
    /// reported since this one read it.
    private func askToCheckIn(_ account: Account) throws(MAMError) -> Result<CheckIn, AuthorityFailure> {
        var host = hostFacts(try current())
        func ask() -> Result<CheckIn, AuthorityFailure> {
            asking { () throws(AuthorityFailure) in
                try authority.checkIn(
                    account.accountId, registration: account.record.registration ?? "",
                    wipeMark: account.record.wipeMark, app: appFacts, host: host)
            }
        }
        let reply = ask()
        guard case .success(let answer) = reply, let reached = answer.reached else { return reply }
        try state.read { (_, _) in }
        host = hostFacts(try current())
        host.confirming = reached
        return ask()
    }

    /// The enrollment ended well, whatever becomes of its policy request.
    private func tellEnrolled(_ account: Account, _ consequence: String) {
        let status = EnrollmentStatus(
            accountId: account.accountId, upn: account.record.upn, code: .newPoliciesReceived,
            message: "The account is enrolled; \(consequence). Nothing to do.", time: clock.now())
        emit("enrollmentRequest", status)
    }

    private func received(_ reply: CheckIn, for account: Account, isFirst: Bool) throws(MAMError) -> EnrollmentStatus {
        if let wipe = reply.wipe {
            let status = status(.wipeReceived, of: account)
            emit("policyRequest", status)
            return begun(status) { () throws(MAMError) in
                try self.wipe(account, Tombstone(reason: reply.wipeReason, wipe: wipe > 0 ? wipe : nil))
            }
        }
        // Who may not be used here is wiped as everybody, and gets nothing else.
        if let refusal = device.refusal(of: account.record) {
            return try checkInFailed(account, refusal, "")
        }
        if reply.isDisabled, !isFirst, let wiped = try wipeRefused(account, .wipeReceived, Session.isDisabled) {
            return wiped
        }
        let now = clock.now()
        let policies = reply.policies.map {
            SentDocument(id: $0.id, document: $0.document, signature: signatureText($0.signature))
        }
        let configurations = reply.configurationRecords.map { record in
            guard let signature = signatureText(record.signature) else { return record.configuration.json }
            return SentDocument(id: record.configuration.id, document: record.document, signature: signature).json
        }
        let isSameAuthority = AuthorityIdentity(json: account.record.authority) == reply.identity
        let isManaged = !policies.isEmpty
        let own = ManagedApp.Account(
            row: account.row.id.hex, accountId: account.accountId, upn: reply.upn,
            tenantId: reply.tenantId ?? account.record.tenantId)
        let (former, formerConfigurations, isEntered, isOlder) = try loadReceived(account, own, reply.apps)
        // The first answer to an enrollment is news, whoever of the app asked.
        let isFirstAnswer = isFirst || account.record.lastCode == nil
        let isSame =
            !isFirstAnswer && account.record.upn == reply.upn && account.record.isDisabled == reply.isDisabled
            && account.record.domains == reply.domains && Session.isSame(policies, former)
        let code: StatusCode =
            policies.isEmpty ? .noPolicyReceived : isSame ? .policiesHaveNotChanged : .newPoliciesReceived
        var dropped: [String] = []
        func note(_ record: inout AccountRecord) {
            noteCheckIn(&record, of: account)
            dropped = record.rename(accountId: record.accountId ?? account.accountId, upn: reply.upn)
            record.tenantId = reply.tenantId ?? record.tenantId
            record.lastCheckIn = LaunchHistory(json: record.launch).offline?.checkIn.time ?? now
            record.isGone = false
            record.interval = reply.interval
            record.isDisabled = reply.isDisabled
            record.domains = reply.domains
            record.authority = reply.identity?.json ?? .null
            plan(
                &record, after: code, isEnrolled: true,
                hasOnlyConfiguration: policies.isEmpty && !configurations.isEmpty)
        }
        func keepInRegistry(_ view: StateView) throws(MAMError) {
            if !isSameAuthority { try KnownAuthority.note(reply.identity, view, settings) }
            guard isManaged else { return try leave(view, account.row.id) }
            if !isEntered { try enter(view, own, account.row.id, reply.apps) }
        }
        // What had closed the account for being offline is over, in every session.
        let wasOverdue = !LaunchHistory(json: account.record.launch).closing.isEmpty
        let isUnchanged =
            isSame && formerConfigurations == configurations && !wasOverdue && isSameAuthority && !isOlder
            && reply.reached == nil
        if isUnchanged {
            noteRecord(
                try state.write { (view) throws(MAMError) in
                    try keepInRegistry(view)
                    return try view.accounts.change(account.row, note)
                })
        } else {
            try state.publish { (view) throws(MAMError) in
                try view.policies.store(policies, of: account.row)
                try view.configurations.store(configurations, of: account.row)
                try keepInRegistry(view)
                let isMoved = try view.confirm(account.row.id, above: reply.reached ?? 0)
                let row = try view.accounts.change(account.row) { record in
                    note(&record)
                    if isMoved { record.isOfFormerTag = true }
                }
                if row.record.upn != account.record.upn { try takeNames(row, dropping: dropped, view) }
            }
            warnAbout(policies)
            try reload()
        }
        if isManaged, !isFirst { refreshExchangeKeys(of: account, upTo: reply.exchangeEpoch) }
        try renewRegistration(of: account.row.id)
        let status = status(code, accountId: account.accountId, upn: reply.upn)
        if isFirst {
            tellEnrolled(account, policies.isEmpty ? "nothing restricts it" : "its policy is in force")
            askForRestart()
        }
        emit("policyRequest", status)
        return status
    }

    /// What a check-in that wipes came to: where the key is not gone yet, why.
    func begun(_ received: EnrollmentStatus, _ wipe: () throws(MAMError) -> Void) -> EnrollmentStatus {
        do throws(MAMError) {
            try wipe()
            return received
        } catch {
            return status(
                .failedToClearMamData, accountId: received.accountId, upn: received.upn, message: error.message)
        }
    }

    private static let isDisabled = "The organisation has disabled the account"

    /// What the state keeps of the check-ins before; nil where that is nothing, or cannot be read. And whether the registry
    /// of managed apps has what this one brought, and whether the state was older than it had come to.
    private func loadReceived(
        _ account: Account, _ own: ManagedApp.Account, _ apps: ReachedApps
    ) throws(MAMError) -> (policies: [SentDocument]?, configurations: [JSON]?, isEntered: Bool, isOlder: Bool) {
        try state.read { (view, _) in
            (
                (try? view.policies.load(of: account.row)) ?? nil, try? view.configurations.load(of: account.row),
                isEntered(view, own, account.row.id, apps), view.regress(of: account.row.id) != nil
            )
        }
    }

    private static func isSame(_ a: [SentDocument], _ b: [SentDocument]?) -> Bool {
        guard let b, a.count == b.count else { return false }
        return zip(a, b).allSatisfy { $0.id == $1.id && $0.document == $1.document }
    }

    /// What a policy says that is not understood counts as its most restrictive value: somebody should know.
    private func warnAbout(_ policies: [SentDocument]) {
        for sent in policies {
            guard let policy = try? PolicyDocument(id: sent.id, json: sent.document) else { continue }
            for warning in policy.warnings {
                warn(
                    warning.message,
                    [
                        ("policyId", .string(warning.policyId)), ("setting", .string(warning.setting)),
                        ("value", warning.value),
                    ])
            }
        }
    }

    private func askForRestart() {
        guard settings.asksForRestart else { return }
        _ = ask(.restartApplication, subject: "", of: nil)
    }

    func checkInFailed(_ account: Account, _ code: StatusCode, _ message: String) throws(MAMError)
        -> EnrollmentStatus
    {
        let status = status(code, of: account, message: message)
        let hasOnly = account.policy == nil && !account.configurations.isEmpty
        func note(_ view: StateView) throws(MAMError) -> AccountRow {
            try view.accounts.change(account.row) { record in
                if code == .policyRecordGone, record.registration == account.record.registration {
                    record.isGone = true
                }
                plan(&record, after: code, status.message, isEnrolled: true, hasOnlyConfiguration: hasOnly)
            }
        }
        if account.record.lastCode == nil {
            // The enrollment has no answer: from now on that closes the account, in every session.
            try state.publish { (view) throws(MAMError) in _ = try note(view) }
            try reload()
        } else {
            noteRecord(try state.write(note))
        }
        log.write(.warning, "check-in of account \(account.row.id.hex) failed: \(code.rawValue) \(code.name)")
        emit("policyRequest", status)
        return status
    }
}
