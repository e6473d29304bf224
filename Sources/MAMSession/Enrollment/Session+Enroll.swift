import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

extension Session {
    /// What an operation came to.
    enum Outcome {
        case ended(OperationResult)
        /// Goes on when this question is answered.
        case later(question: Int64)
        /// Goes on at this time of the waiting clock.
        case again(at: Int64)
        case abandoned

        static func done(_ status: EnrollmentStatus) -> Outcome { .ended(.enrollment(status)) }
    }

    var appFacts: AppFacts { AppFacts(id: settings.app.id, version: settings.app.version) }

    func hostFacts(_ snapshot: Snapshot) -> HostFacts {
        HostFacts(
            deviceTag: state.deviceTag, platform: settings.device.platform,
            platformVersion: settings.device.version ?? "",
            model: settings.device.model, libraryVersion: libraryVersion,
            stateGeneration: GenerationWord.generation(snapshot.generation))
    }

    /// Enroll a registered account, then ask for its policy at once.
    func enroll(_ id: AccountRowID) throws(MAMError) -> Outcome {
        let snapshot = try currentRecords()
        let known = snapshot.accounts.first { $0.row.id == id }
        if let known, known.isEnrolled {
            if known.record.lastCode == nil, let outcome = try checkInAtLast(known) { return outcome }
            return .done(status(.alreadyEnrolled, accountId: known.accountId, upn: known.record.upn))
        }
        guard let account = known, account.state == .registered else {
            return .done(
                status(
                    .appNotEnrolled, accountId: nil, upn: nil, message: "The account was removed before it was enrolled"
                )
            )
        }
        if !snapshot.settings.bool(SettingKey.multiManagedIdentities), snapshot.accounts.contains(where: \.isEnrolled) {
            return .done(try enrollmentFailed(account, .singleManagedAccountMode, ""))
        }
        switch try askToEnroll(account) {
        case .granted(let enrollment): return try enrolled(account, enrollment)
        case .refused(let failure): return .done(try enrollmentFailed(account, failure.code, failure.message))
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        }
    }

    /// Ask once more for the policy of an enrollment that the authority did not find at first; nil where another process,
    /// whose enrollment took this one's place, has it meanwhile.
    private func checkInAtLast(_ account: Account) throws(MAMError) -> Outcome? {
        let outcome = try checkIn(account, isFirst: false)
        if case .ended(.enrollment(let status)) = outcome, status.code == .policiesHaveNotChanged { return nil }
        return outcome
    }

    /// What an event makes of an account's state: the rules are `EnrollmentState`'s. One that comes too late, because another
    /// process was faster, is an error and changes nothing.
    func advance(_ record: inout AccountRecord, _ event: EnrollmentEvent) throws(MAMError) {
        guard let next = EnrollmentState(rawValue: record.state)?.after(event) else {
            throw MAMError(.already, "the account is \(record.state) meanwhile; nothing was changed")
        }
        record.state = next.rawValue
    }

    /// What asking the authority for an enrollment came to.
    enum EnrollmentAnswer {
        case granted(Enrollment)
        case refused(AuthorityFailure)
        case later(question: Int64)
        case abandoned
    }

    /// Ask the authority to enroll, with the account's token where it wants one and the host has it.
    func askToEnroll(_ account: Account) throws(MAMError) -> EnrollmentAnswer {
        let name = AccountName(
            accountId: account.record.accountId, upn: account.record.upn, tenantId: account.record.tenantId)
        let host = hostFacts(try current())
        var token: SecretBytes?
        while true {
            let known = token
            let reply = asking { () throws(AuthorityFailure) in
                try authority.enroll(name, app: appFacts, host: host, token: known)
            }
            switch reply {
            case .success(let enrollment): return .granted(enrollment)
            case .failure(let failure):
                guard failure.needsToken, token == nil else { return .refused(failure) }
                switch askForToken(account) {
                case .answer(.secret(let secret)): token = secret
                case .answer: return .refused(failure)
                case .later(let question): return .later(question: question)
                case .abandoned: return .abandoned
                }
            }
        }
    }

    /// Ask the authority something; what it refuses is a result like another.
    func asking<T>(_ body: () throws(AuthorityFailure) -> T) -> Result<T, AuthorityFailure> { Result(catching: body) }

    private func askForToken(_ account: Account) -> Asked {
        ask(
            .accessToken, subject: account.row.id.hex,
            [
                ("accountId", .string(account.accountId)), ("upn", .optional(account.record.upn)),
                ("resource", .string(settings.authorityPath)),
            ])
    }

    private func enrolled(_ account: Account, _ enrollment: Enrollment) throws(MAMError) -> Outcome {
        var isSecond = false
        let allowsSeveral = try current().settings.bool(SettingKey.multiManagedIdentities)
        let row = account.row
        try state.publish { (view) throws(MAMError) in
            // Another process may have enrolled another account meanwhile.
            if !allowsSeveral {
                for case .open(let other) in try view.accounts.all()
                where other.record.state == EnrollmentState.enrolled.rawValue && other.id != row.id {
                    isSecond = true
                    return
                }
            }
            try view.keys.makeFirst(for: row)
            // Of an earlier enrollment: until the first check-in has answered, nothing is known and all is refused.
            try view.policies.forget(of: row)
            try view.configurations.forget(of: row)
            try view.accounts.change(row) { (record) throws(MAMError) in
                record.accountId = enrollment.accountId
                record.upn = enrollment.upn
                record.tenantId = enrollment.tenantId
                record.registration = enrollment.registration
                record.wipeMark = enrollment.wipeMark
                record.isGone = false
                try advance(&record, .enrolled)
                record.failures = 0
                record.lastCode = nil
                record.lastCheckIn = nil
                record.nextCheckIn = clock.now()
            }
        }
        let snapshot = try reload()
        if isSecond {
            _ = asking { () throws(AuthorityFailure) in
                try authority.unenroll(
                    enrollment.accountId, registration: enrollment.registration, app: appFacts,
                    host: hostFacts(snapshot))
            }
            return .done(try enrollmentFailed(account, .singleManagedAccountMode, ""))
        }
        log.write(.info, "account \(row.id.hex) enrolled")
        log.write(.verbose, "account \(row.id.hex) is \(enrollment.upn) (\(enrollment.accountId))")
        guard let fresh = snapshot.accounts.first(where: { $0.row.id == row.id }) else {
            return .done(status(.appNotEnrolled, accountId: enrollment.accountId, upn: enrollment.upn))
        }
        return try checkIn(fresh, isFirst: true)
    }

    /// Write down that enrolling failed, tell it, and plan the next try.
    private func enrollmentFailed(_ account: Account, _ code: StatusCode, _ message: String) throws(MAMError)
        -> EnrollmentStatus
    {
        let status = status(code, accountId: account.record.accountId, upn: account.record.upn, message: message)
        let row = account.row
        let changed = try state.write { (view) throws(MAMError) in
            try view.accounts.change(row) { record in
                record.failures = min(record.failures, 1000) + 1
                record.lastCode = Int64(code.rawValue)
                record.nextCheckIn = Schedule.next(
                    after: code, at: clock.now(), failures: Int(record.failures), interval: nil, inUse: true,
                    onlyConfiguration: false, jitter: jitter())
            }
        }
        noteRecord(changed)
        log.write(.warning, "account \(row.id.hex) could not be enrolled: \(code.rawValue) \(code.name)")
        emit("enrollmentRequest", accountId: account.accountId, [("status", status.json)])
        return status
    }

    /// Unenroll without a wipe: the account becomes unmanaged at once and durably, its keys and data stay.
    func makeUnmanaged(_ account: Account) throws(MAMError) {
        try state.publish { (view) throws(MAMError) in
            try view.accounts.change(account.row) { (record) throws(MAMError) in
                try advance(&record, .unenrolled)
                record.nextCheckIn = clock.now()
                record.lastCode = Int64(StatusCode.unenrollmentSuccess.rawValue)
            }
            try view.policies.store([], of: account.row)
            try view.configurations.forget(of: account.row)
        }
        try reload()
        log.write(.info, "account \(account.row.id.hex) unenrolled")
    }

    /// Tell the authority of an account that was made unmanaged, and the host when that is done.
    func tellUnenrolled(_ id: AccountRowID) throws(MAMError) -> Outcome {
        let snapshot = try current()
        guard let account = snapshot.accounts.first(where: { $0.row.id == id }), account.state == .unenrolled,
            account.record.nextCheckIn != nil
        else { return .done(status(.unenrollmentSuccess, accountId: nil, upn: nil)) }
        var note: String?
        if let registration = account.record.registration {
            let told = asking { () throws(AuthorityFailure) in
                try authority.unenroll(
                    account.accountId, registration: registration, app: appFacts, host: hostFacts(snapshot))
            }
            if case .failure(let failure) = told {
                // The host has dropped the user, whatever the authority's state: it forgets silent registrations by itself.
                note =
                    "The authority could not be told (\(failure.code.rawValue) \(failure.code.name)): \(failure.message)"
            }
        }
        let status = status(
            .unenrollmentSuccess, accountId: account.accountId, upn: account.record.upn, message: note)
        try state.publish { (view) throws(MAMError) in
            try view.accounts.change(account.row) { record in
                record.registration = nil
                record.nextCheckIn = nil
            }
            try view.outcomes.add(
                event("unenrollRequest", accountId: account.accountId, [("status", status.json)]), app: settings.app.id)
        }
        try reload()
        return .done(status)
    }

    func jitter() -> Double { Double.random(in: 0..<1) }
}
