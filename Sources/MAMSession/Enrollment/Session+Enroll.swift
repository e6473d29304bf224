import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

extension Session {
    /// What an operation came to.
    enum Outcome {
        case done(EnrollmentStatus)
        /// Goes on when this question is answered.
        case later(question: Int64)
        /// Goes on at this time of the waiting clock.
        case again(at: Int64)
        case abandoned
    }

    var appFacts: AppFacts { AppFacts(id: settings.app.id, version: settings.app.version) }

    func hostFacts(_ snapshot: Snapshot) -> HostFacts {
        HostFacts(
            deviceTag: state.deviceTag, platform: settings.device.platform,
            platformVersion: settings.device.version ?? "",
            model: settings.device.model, libraryVersion: libraryVersion,
            stateGeneration: Int64(truncatingIfNeeded: snapshot.generation / 2))
    }

    /// Enroll a registered account, then ask for its policy at once.
    func enroll(_ id: AccountRowID) throws(MAMError) -> Outcome {
        let snapshot = try current()
        guard let account = snapshot.accounts.first(where: { $0.row.id == id }), account.state == .registered else {
            return .done(
                status(.nilAccount, accountId: nil, upn: nil, message: "The account was removed before it was enrolled")
            )
        }
        if !snapshot.settings.bool(SettingKey.multiManagedIdentities), snapshot.accounts.contains(where: \.isEnrolled) {
            return .done(try enrollmentFailed(account, .singleManagedAccountMode, ""))
        }
        let name = AccountName(
            accountId: account.record.accountId, upn: account.record.upn, tenantId: account.record.tenantId)
        var token: SecretBytes?
        while true {
            let known = token
            let reply = asking { () throws(AuthorityFailure) in
                try authority.enroll(name, app: appFacts, host: hostFacts(snapshot), token: known)
            }
            switch reply {
            case .success(let enrollment): return try enrolled(account, enrollment)
            case .failure(let failure):
                guard failure.needsToken, token == nil else {
                    return .done(try enrollmentFailed(account, failure.code, failure.message))
                }
                switch askForToken(account) {
                case .answer(.secret(let secret)): token = secret
                case .answer: return .done(try enrollmentFailed(account, failure.code, failure.message))
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
        var row = account.row
        try state.publish { (view) throws(MAMError) in
            // Another process may have enrolled another account meanwhile.
            if !allowsSeveral {
                for case .open(let other) in try view.accounts.all()
                where other.record.state == EnrollmentState.enrolled.rawValue && other.id != row.id {
                    isSecond = true
                    return
                }
            }
            row.record.accountId = enrollment.accountId
            row.record.upn = enrollment.upn
            row.record.tenantId = enrollment.tenantId
            row.record.registration = enrollment.registration
            row.record.wipeMark = enrollment.wipeMark
            row.record.state = EnrollmentState.enrolled.rawValue
            row.record.failures = 0
            row.record.nextCheckIn = clock.now()
            try view.keys.makeFirst(for: row)
            try view.accounts.update(row)
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
        var row = account.row
        try state.write { (view) throws(MAMError) in
            row.record.failures = min(row.record.failures, 1000) + 1
            row.record.lastCode = Int64(code.rawValue)
            row.record.nextCheckIn = Schedule.next(
                after: code, at: clock.now(), failures: Int(row.record.failures), interval: nil, inUse: true,
                onlyConfiguration: false, jitter: jitter())
            try view.accounts.update(row)
        }
        noteRecord(row)
        log.write(.warning, "account \(row.id.hex) could not be enrolled: \(code.rawValue) \(code.name)")
        emit("enrollmentRequest", accountId: account.accountId, [("status", status.json)])
        return status
    }

    /// Unenroll without a wipe: the account becomes unmanaged, its keys and data stay.
    func unenroll(_ id: AccountRowID) throws(MAMError) -> Outcome {
        let snapshot = try current()
        guard let account = snapshot.accounts.first(where: { $0.row.id == id }), account.state != .unenrolled else {
            return .done(
                status(.unenrollmentSuccess, accountId: nil, upn: nil, message: "The account was removed before"))
        }
        var note: String?
        if let registration = account.record.registration {
            let told = asking { () throws(AuthorityFailure) in
                try authority.unenroll(
                    account.accountId, registration: registration, app: appFacts, host: hostFacts(snapshot))
            }
            if case .failure(let failure) = told {
                // The host drops the user now, whatever the authority's state: it forgets silent registrations by itself.
                note =
                    "The authority could not be told (\(failure.code.rawValue) \(failure.code.name)): \(failure.message)"
            }
        }
        let status = status(.unenrollmentSuccess, accountId: account.accountId, upn: account.record.upn, message: note)
        var row = account.row
        try state.publish { (view) throws(MAMError) in
            row.record.state = EnrollmentState.unenrolled.rawValue
            row.record.registration = nil
            row.record.nextCheckIn = nil
            row.record.lastCode = Int64(StatusCode.unenrollmentSuccess.rawValue)
            try view.accounts.update(row)
            _ = try view.policies.store([], of: row)
            try view.outcomes.add(
                event("unenrollRequest", accountId: account.accountId, [("status", status.json)]), app: settings.app.id)
        }
        try reload()
        log.write(.info, "account \(row.id.hex) unenrolled")
        return .done(status)
    }

    func jitter() -> Double { Double.random(in: 0..<1) }
}

/// The release; `MAM_VERSION` in mam.h.
public let libraryVersion = "0.1.0"
