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
        /// Goes on with this, at once.
        case next(OperationBoard.Work)
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

    /// Enroll a registered account, then ask for its policy at once. A quiet attempt that fails is no event.
    func enroll(_ id: AccountRowID, isQuiet: Bool = false) throws(MAMError) -> Outcome {
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
        return try enroll(.known(account), isQuiet: isQuiet)
    }

    /// Whom an enrollment is for.
    enum Candidate {
        /// Registered: a failure is noted and tried again.
        case known(Account)
        /// Not registered: a failure leaves nothing.
        case named(AccountName)

        var name: AccountName {
            switch self {
            case .known(let account): AccountName(account.record)
            case .named(let name): name
            }
        }

        var row: AccountRow? {
            if case .known(let account) = self { account.row } else { nil }
        }
    }

    func enroll(_ candidate: Candidate, isQuiet: Bool) throws(MAMError) -> Outcome {
        let snapshot = try current()
        if let refusal = registrationRefusal(candidate.name, snapshot) ?? secondRefusal(candidate, snapshot) {
            return .done(try failed(candidate, refusal, "", isQuiet))
        }
        switch try askToEnroll(candidate) {
        case .granted(let enrollment):
            // Now that all of its names are known.
            if let refusal = device.refusal(of: AccountName(enrollment)) {
                takeBack(enrollment, snapshot)
                return .done(try failed(candidate, refusal, "", isQuiet))
            }
            return try enrolled(candidate, enrollment, isQuiet)
        case .refused(let failure): return .done(try failed(candidate, failure.code, failure.message, isQuiet))
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

    /// Why another account may not be managed beside the enrolled one; nil where it may.
    private func secondRefusal(_ candidate: Candidate, _ snapshot: Snapshot) -> StatusCode? {
        guard !snapshot.settings.bool(SettingKey.multiManagedIdentities),
            snapshot.accounts.contains(where: { $0.isEnrolled && $0.row.id != candidate.row?.id })
        else { return nil }
        // The enrolled one has to leave in any case.
        let others = snapshot.accounts.filter(\.isEnrolled)
        let mustLeave = others.allSatisfy { device.refusal(of: AccountName($0.record)) != nil }
        return mustLeave ? .switchExistingAccount : .singleManagedAccountMode
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
    func askToEnroll(_ candidate: Candidate) throws(MAMError) -> EnrollmentAnswer {
        let name = candidate.name
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
                switch askForToken(candidate) {
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

    private func askForToken(_ candidate: Candidate) -> Asked {
        let name = candidate.name
        let account = name.accountId ?? name.upn ?? ""
        return ask(
            .accessToken, subject: candidate.row?.id.hex ?? account,
            [
                ("accountId", .string(account)), ("upn", .optional(name.upn)),
                ("resource", .string(settings.authorityPath)),
            ])
    }

    /// Tell that enrolling failed; for a registered account, write it down and plan the next try.
    func failed(
        _ candidate: Candidate, _ code: StatusCode, _ message: String, _ isQuiet: Bool
    ) throws(MAMError) -> EnrollmentStatus {
        let name = candidate.name
        let status = status(code, accountId: name.accountId, upn: name.upn, message: message)
        if let row = candidate.row {
            let changed = try state.write { (view) throws(MAMError) in
                try view.accounts.change(row) { record in
                    plan(&record, after: code, status.message, isEnrolled: false)
                }
            }
            noteRecord(changed)
        }
        log.write(
            .warning, "account \(candidate.row?.id.hex ?? "") could not be enrolled: \(code.rawValue) \(code.name)")
        if !isQuiet {
            emit("enrollmentRequest", accountId: name.accountId ?? name.upn, [("status", status.json)])
        }
        return status
    }
}
