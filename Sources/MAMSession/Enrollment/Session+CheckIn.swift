import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

extension Session {
    /// Check accounts in, one after the other; the worst status counts.
    func checkIn(_ ids: [AccountRowID]) throws(MAMError) -> Outcome {
        var worst: EnrollmentStatus?
        for id in ids {
            guard let account = try current().accounts.first(where: { $0.row.id == id }), account.isEnrolled else {
                continue
            }
            guard case .done(let status) = try checkIn(account, isFirst: false) else { continue }
            if worst.map({ status.code.rawValue > $0.code.rawValue }) ?? true { worst = status }
        }
        return .done(worst ?? status(.appNotEnrolled, accountId: nil, upn: nil))
    }

    /// Ask the authority for policy and commands, and commit what it says in one transaction.
    func checkIn(_ account: Account, isFirst: Bool) throws(MAMError) -> Outcome {
        let snapshot = try current()
        let reply = asking { () throws(AuthorityFailure) in
            try authority.checkIn(
                account.accountId, registration: account.record.registration ?? "", wipeMark: account.record.wipeMark,
                app: appFacts, host: hostFacts(snapshot))
        }
        switch reply {
        case .success(let reply): return .done(try received(reply, for: account, isFirst: isFirst))
        case .failure(let failure) where failure.code == .policyRecordGone && !isFirst:
            return .done(try enrollAgain(account))
        case .failure(let failure): return .done(try checkInFailed(account, failure.code, failure.message))
        }
    }

    private func received(_ reply: CheckIn, for account: Account, isFirst: Bool) throws(MAMError) -> EnrollmentStatus {
        if let wipe = reply.wipe {
            let status = status(.wipeReceived, accountId: account.accountId, upn: account.record.upn)
            emit("policyRequest", accountId: account.accountId, [("status", status.json)])
            let entry = try promiseWipe(of: account, reason: "administrator", wipe: wipe)
            try shred(entry)
            // Carried out as an operation of its own: it may have to wait for the host.
            _ = start(.wipe(journal: entry.id))
            return status
        }
        var row = account.row
        let now = clock.now()
        let onlyUpdatesTimes =
            !isFirst && account.record.upn == reply.upn && account.record.isDisabled == reply.isDisabled
        row.record.upn = reply.upn
        row.record.tenantId = reply.tenantId ?? row.record.tenantId
        row.record.lastCheckIn = now
        row.record.failures = 0
        row.record.interval = reply.interval
        row.record.isDisabled = reply.isDisabled
        let policies = reply.policies.map { (id: $0.id, document: $0.document) }
        let former = try loadPolicies(account)
        let isSame = onlyUpdatesTimes && Session.isSame(policies, former)
        let code: StatusCode =
            policies.isEmpty ? .noPolicyReceived : isSame ? .policiesHaveNotChanged : .newPoliciesReceived
        row.record.lastCode = Int64(code.rawValue)
        row.record.nextCheckIn = Schedule.next(
            after: code, at: now, failures: 0, interval: reply.interval, inUse: true, onlyConfiguration: false,
            jitter: jitter())
        if isSame {
            try state.write { (view) throws(MAMError) in try view.accounts.update(row) }
            noteRecord(row)
        } else {
            try state.publish { (view) throws(MAMError) in
                _ = try view.policies.store(policies, of: row)
                try view.accounts.update(row)
            }
            warnAbout(policies)
            try reload()
        }
        let status = status(code, accountId: account.accountId, upn: reply.upn)
        if isFirst {
            emit("enrollmentRequest", accountId: account.accountId, [("status", status.json)])
            askForRestart()
        }
        emit("policyRequest", accountId: account.accountId, [("status", status.json)])
        return status
    }

    private func loadPolicies(_ account: Account) throws(MAMError) -> [(id: String, document: JSON)]? {
        try state.read { (view, _) throws(MAMError) in try? view.policies.load(of: account.row) }
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
        _ = ask(.restartApplication, subject: "first policy", [])
    }

    /// The authority forgot the enrollment: enroll anew, unless it does not want the user any more.
    private func enrollAgain(_ account: Account) throws(MAMError) -> EnrollmentStatus {
        let gone = status(.policyRecordGone, accountId: account.accountId, upn: account.record.upn)
        emit("policyRequest", accountId: account.accountId, [("status", gone.json)])
        let name = AccountName(
            accountId: account.record.accountId, upn: account.record.upn, tenantId: account.record.tenantId)
        let host = hostFacts(try current())
        switch asking({ () throws(AuthorityFailure) in try authority.enroll(name, app: appFacts, host: host, token: nil)
        })
        {
        case .success(let enrollment):
            var row = account.row
            row.record.registration = enrollment.registration
            row.record.wipeMark = enrollment.wipeMark
            try state.publish { (view) throws(MAMError) in try view.accounts.update(row) }
            guard let fresh = try reload().accounts.first(where: { $0.row.id == row.id }) else { return gone }
            guard case .done(let status) = try checkIn(fresh, isFirst: true) else { return gone }
            return status
        case .failure(let failure):
            let code = failure.isUserRefused ? .reEnrollForUnenrolledUser : failure.code
            return try checkInFailed(account, code, failure.message)
        }
    }

    private func checkInFailed(_ account: Account, _ code: StatusCode, _ message: String) throws(MAMError)
        -> EnrollmentStatus
    {
        let status = status(code, accountId: account.accountId, upn: account.record.upn, message: message)
        var row = account.row
        row.record.failures = min(row.record.failures, 1000) + 1
        row.record.lastCode = Int64(code.rawValue)
        row.record.nextCheckIn = Schedule.next(
            after: code, at: clock.now(), failures: Int(row.record.failures), interval: row.record.interval,
            inUse: true,
            onlyConfiguration: false, jitter: jitter())
        try state.write { (view) throws(MAMError) in try view.accounts.update(row) }
        noteRecord(row)
        log.write(.warning, "check-in of account \(row.id.hex) failed: \(code.rawValue) \(code.name)")
        emit("policyRequest", accountId: account.accountId, [("status", status.json)])
        return status
    }

    /// Times changed that no other process needs to see: keep the snapshot's copy of the record fresh.
    func noteRecord(_ row: AccountRow) {
        lock.held {
            guard snapshot.accounts.contains(where: { $0.row.id == row.id }) else { return }
            snapshot = Snapshot(snapshot, replacing: row)
        }
        refreshSignal()
    }
}
