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
        let registration = account.record.registration ?? ""
        let host = hostFacts(try current())
        let reply = asking { () throws(AuthorityFailure) in
            try authority.checkIn(
                account.accountId, registration: registration, wipeMark: account.record.wipeMark, app: appFacts,
                host: host)
        }
        switch reply {
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
            try self.wipe(account, Tombstone(reason: "administrator", wipe: wipe))
            return status
        }
        // Who may not be used here is wiped as everybody, and gets nothing else.
        if let refusal = device.refusal(of: account.record) {
            return try checkInFailed(account, refusal, "")
        }
        if reply.isDisabled, !isFirst, let wiped = try wipeRefused(account, .wipeReceived, Session.isDisabled) {
            return wiped
        }
        let now = clock.now()
        let policies = reply.policies.map { (id: $0.id, document: $0.document) }
        let configurations = reply.configurations.map(\.json)
        let isManaged = !policies.isEmpty
        let own = ManagedApp.Account(
            row: account.row.id.hex, accountId: account.accountId, upn: reply.upn,
            tenantId: reply.tenantId ?? account.record.tenantId)
        let (former, formerConfigurations, isEntered) = try loadReceived(account, own, reply.apps)
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
            plan(
                &record, after: code, isEnrolled: true,
                hasOnlyConfiguration: policies.isEmpty && !configurations.isEmpty)
        }
        func keepInRegistry(_ view: StateView) throws(MAMError) {
            guard isManaged else { return try leave(view, account.row.id) }
            if !isEntered { try enter(view, own, account.row.id, reply.apps) }
        }
        if isSame && formerConfigurations == configurations {
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
                let row = try view.accounts.change(account.row, note)
                if row.record.upn != account.record.upn { try takeNames(row, dropping: dropped, view) }
            }
            warnAbout(policies)
            try reload()
        }
        if isManaged, !isFirst { refreshExchangeKeys(of: account) }
        let status = status(code, accountId: account.accountId, upn: reply.upn)
        if isFirst {
            tellEnrolled(account, policies.isEmpty ? "nothing restricts it" : "its policy is in force")
            askForRestart()
        }
        emit("policyRequest", status)
        return status
    }

    private static let isDisabled = "The organisation has disabled the account"

    /// What the state keeps of the check-ins before; nil where that is nothing, or cannot be read. And whether the registry
    /// of managed apps has what this one brought.
    private func loadReceived(
        _ account: Account, _ own: ManagedApp.Account, _ apps: ReachedApps
    ) throws(MAMError) -> (policies: [(id: String, document: JSON)]?, configurations: [JSON]?, isEntered: Bool) {
        try state.read { (view, _) in
            (
                (try? view.policies.load(of: account.row)) ?? nil, try? view.configurations.load(of: account.row),
                isEntered(view, own, account.row.id, apps)
            )
        }
    }

    private static func isSame(_ a: [(id: String, document: JSON)], _ b: [(id: String, document: JSON)]?) -> Bool {
        guard let b, a.count == b.count else { return false }
        return zip(a, b).allSatisfy { $0.id == $1.id && $0.document == $1.document }
    }

    /// What a policy says that is not understood counts as its most restrictive value: somebody should know.
    private func warnAbout(_ policies: [(id: String, document: JSON)]) {
        for (id, document) in policies {
            guard let policy = try? PolicyDocument(id: id, json: document) else { continue }
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
        _ = ask(.restartApplication, subject: "", [])
    }

    func checkInFailed(_ account: Account, _ code: StatusCode, _ message: String) throws(MAMError)
        -> EnrollmentStatus
    {
        let status = status(code, of: account, message: message)
        let hasOnly = account.policy == nil && !account.configurations.isEmpty
        let changed = try state.write { (view) throws(MAMError) in
            try view.accounts.change(account.row) { record in
                if code == .policyRecordGone, record.registration == account.record.registration {
                    record.isGone = true
                }
                plan(&record, after: code, status.message, isEnrolled: true, hasOnlyConfiguration: hasOnly)
            }
        }
        noteRecord(changed)
        log.write(.warning, "check-in of account \(account.row.id.hex) failed: \(code.rawValue) \(code.name)")
        emit("policyRequest", status)
        return status
    }
}
