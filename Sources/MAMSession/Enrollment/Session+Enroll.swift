import CPlatform
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

extension Session {
    var appFacts: AppFacts { AppFacts(id: settings.managedApp, version: settings.app.version) }

    func hostFacts(_ snapshot: Snapshot) -> HostFacts {
        let stated = snapshot.device.stated ?? .nothing
        let (deviceTag, counter, reached) = state.reported
        return HostFacts(
            deviceTag: deviceTag, platform: stated.platform, platformVersion: stated.version ?? "",
            model: stated.model, libraryVersion: libraryVersion,
            stateGeneration: counter, stateReached: reached)
    }

    /// Enroll a registered account, then ask for its policy at once. A quiet attempt that fails is no event.
    func enroll(
        _ id: AccountRowID, isQuiet: Bool = false, _ cause: EnrollmentCause = .host
    ) throws(MAMError) -> Outcome {
        let snapshot = try currentRecords()
        let known = snapshot.accounts.first { $0.row.id == id }
        if let known, known.isTest { return try enrollByTest(.known(known)) }
        if let known, known.isEnrolled {
            if let refusal = device.refusal(of: known.record) { return .done(status(refusal, of: known)) }
            if known.record.lastCode == nil, let outcome = try checkInAtLast(known) { return outcome }
            return .done(status(.alreadyEnrolled, of: known))
        }
        guard let account = known, account.state == .registered else {
            return .done(removedMeanwhile())
        }
        return try enroll(.known(account), isQuiet: isQuiet, cause)
    }

    func removedMeanwhile() -> EnrollmentStatus {
        status(.appNotEnrolled, message: "The account was removed before it was enrolled")
    }

    func enroll(
        _ candidate: Candidate, isQuiet: Bool, _ cause: EnrollmentCause
    ) throws(MAMError) -> Outcome {
        // Another process of the app has done it meanwhile.
        if case .known(let account) = candidate, account.isEnrolled { return try enroll(account.row.id) }
        if isOfTest(candidate.name) { return try enrollByTest(candidate) }
        let snapshot = try current()
        if cause == .itself, case .named(let name) = candidate, Session.wasWiped(name, snapshot) {
            return .done(try failed(candidate, .authRequired, "The account was wiped in this app", isQuiet))
        }
        if let refusal = registrationRefusal(candidate.name, snapshot) ?? secondRefusal(candidate, snapshot) {
            return .done(try failed(candidate, refusal, "", isQuiet))
        }
        switch try askToEnroll(candidate, cause) {
        case .granted(let enrollment, let lease):
            // Now that all of its names are known.
            if let refusal = device.refusal(of: AccountName(enrollment)) {
                lease.end()
                takeBack(enrollment)
                return .done(try failed(candidate, refusal, "", isQuiet))
            }
            return try enrolled(candidate, enrollment, isQuiet, lease)
        case .changed: return .again(at: platform_time_monotonic())
        case .refused(let failure): return .done(try failed(candidate, failure.code, failure.message, isQuiet))
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        }
    }

    /// Whether a name was an account's here that was wiped: only the host brings that one back.
    private static func wasWiped(_ name: AccountName, _ snapshot: Snapshot) -> Bool {
        guard let names = try? snapshot.names.get() else { return false }
        return name.folded.contains { folded in names.isRetired(folded) && snapshot.find(folded: folded) == nil }
    }

    /// Ask once more for the policy of an enrollment that the authority did not find at first; nil where another process,
    /// whose enrollment took this one's place, has it meanwhile.
    private func checkInAtLast(_ account: Account) throws(MAMError) -> Outcome? {
        let outcome = try checkIn(account, isFirst: false)
        if case .ended(.enrollment(let status)) = outcome, status.code == .policiesHaveNotChanged { return nil }
        return outcome
    }

    /// Why another account may not be managed beside the enrolled one; nil where it may.
    func secondRefusal(_ candidate: Candidate, _ snapshot: Snapshot) -> StatusCode? {
        guard !snapshot.settings.bool(SettingKey.multiManagedIdentities),
            snapshot.accounts.contains(where: { $0.isEnrolled && $0.row.id != candidate.row?.id })
        else { return nil }
        // The enrolled one has to leave in any case.
        let others = snapshot.accounts.filter(\.isEnrolled)
        let mustLeave = others.allSatisfy { device.refusal(of: $0.record) != nil }
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
        /// The lease lasts until this is written down.
        case granted(Enrollment, Lease)
        /// Another session of the app has enrolled the account, or it was removed: look at it anew.
        case changed
        case refused(AuthorityFailure)
        case later(question: Int64)
        case abandoned
    }

    /// Ask the authority to enroll, with the account's token where it wants one and the host has it.
    func askToEnroll(_ candidate: Candidate, _ cause: EnrollmentCause) throws(MAMError) -> EnrollmentAnswer {
        let name = candidate.name
        var token: SecretBytes?
        while true {
            guard let lease = try enrollmentLease() else {
                return .refused(
                    AuthorityFailure(.timeout, "Another process of the app has been enrolling for too long"))
            }
            guard try isStill(candidate) else { return .changed }
            let host = hostFacts(try current())
            let known = token
            let reply = asking { () throws(AuthorityFailure) in
                try authority.enroll(name, app: appFacts, host: host, token: known, cause: cause)
            }
            let failure: AuthorityFailure
            switch reply {
            case .success(let enrollment): return .granted(enrollment, lease)
            case .failure(let refusal): failure = refusal
            }
            guard failure.needsToken, token == nil else { return .refused(failure) }
            lease.end()  // the host may take its time
            switch askForToken(candidate) {
            case .answer(.secret(let secret)): token = secret
            case .answer: return .refused(failure)
            case .later(let question): return .later(question: question)
            case .abandoned: return .abandoned
            }
        }
    }

    /// Two sessions that enrolled an account at once would each take the other's place at the authority.
    private func enrollmentLease() throws(MAMError) -> Lease? {
        let wait = interrupts.begin()
        let until = platform_time_monotonic() &+ 5000
        while true {
            if let lease = try state.lease(.enrollment) { return lease }
            guard !wait.isOver else { throw .interrupted }
            guard platform_time_monotonic() < until else { return nil }
            platform_sleep(5)
        }
    }

    /// Whether an account stands as it did when it was decided to enroll it.
    private func isStill(_ candidate: Candidate) throws(MAMError) -> Bool {
        let accounts = try currentRecords().accounts
        switch candidate {
        case .known(let account):
            let latest = accounts.first { $0.row.id == account.row.id }
            return latest?.state == account.state && latest?.record.registration == account.record.registration
        case .named(let name): return !accounts.contains { $0.isEnrolled && Session.isSame($0.record, name) }
        }
    }

    /// Ask the authority something; what it refuses is a result like another.
    func asking<T>(_ body: () throws(AuthorityFailure) -> T) -> Result<T, AuthorityFailure> {
        authority.expect(snapshots.latest.authority)
        return Result(catching: body)
    }

    private func askForToken(_ candidate: Candidate) -> Asked {
        let name = candidate.name
        let account = name.accountId ?? name.upn ?? ""
        return ask(
            .accessToken, subject: candidate.row?.id.hex ?? account,
            of: NamedAccount(accountId: account, upn: name.upn),
            [("resource", .string(settings.authorityPath))] + signingIn)
    }

    /// Tell that enrolling failed; for a registered account, write it down and plan the next try.
    func failed(
        _ candidate: Candidate, _ code: StatusCode, _ message: String, _ isQuiet: Bool
    ) throws(MAMError) -> EnrollmentStatus {
        let name = candidate.name
        let status = status(code, accountId: name.accountId, upn: name.upn, message: message)
        if code == .accountNotLicensed || code == .licensedNotTargeted { try answered(candidate) }
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
            emit("enrollmentRequest", status)
        }
        return status
    }

    /// The authority knows the name and does not manage it: it is no longer retired, or another account's former name.
    private func answered(_ candidate: Candidate) throws(MAMError) {
        let names =
            candidate.row.map(\.record.allNames) ?? [candidate.name.accountId, candidate.name.upn].compactMap(\.self)
        let snapshot = try current()
        let isTaken = names.lazy.compactMap { try? Identity($0) }.contains { name in
            if case .retired = snapshot.standing(of: name) { return true }
            return snapshot.find(name).map { $0.row.id != candidate.row?.id } ?? false
        }
        guard isTaken else { return }
        try state.publish { (view) throws(MAMError) in
            if let row = candidate.row { try view.accounts.takeNames(of: try view.accounts.change(row) { _ in }) }
            try view.names.restore(names)
        }
        try reload()
    }
}
