import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

extension Session {
    /// `mam_register_and_enroll`: the registration is durable when this returns; enrolling is an operation.
    public func registerAndEnroll(_ json: JSON) throws(MAMError) -> Int64 {
        let name = try AccountName(json: json, "account")
        try checkRoom()
        let snapshot = try current()
        if let refusal = registrationRefusal(name, snapshot) { return tell(refusal, name) }
        var id: AccountRowID?
        var isEnrolled = false
        let isKnown = snapshot.accounts.contains { Session.isSame($0.record, name) }
        try state.publish(mayAdd: !isKnown) { (view) throws(MAMError) in
            for entry in try view.accounts.all() {
                guard case .open(let row) = entry, Session.isSame(row.record, name), !row.record.isAside else {
                    continue
                }
                if try view.journal.all().contains(where: { $0.account == row.id }) { continue }
                id = row.id
                // Enrolled: nothing to do. Registered and not enrolled yet: tried again now.
                guard row.record.state == EnrollmentState.unenrolled.rawValue else {
                    isEnrolled = row.record.state == EnrollmentState.enrolled.rawValue
                    if !isEnrolled { try view.accounts.change(row) { record in record.isAskedFor = true } }
                    return
                }
                try view.accounts.change(row) { (record) throws(MAMError) in
                    try advance(&record, .registered)
                    record.nextCheckIn = clock.now() + .minutes(1)
                    record.nextInUse = nil
                    record.failures = 0
                    record.isAskedFor = true
                }
                return
            }
            var record = AccountRecord(
                accountId: name.accountId, upn: name.upn, tenantId: name.tenantId,
                state: EnrollmentState.registered.rawValue)
            record.nextCheckIn = clock.now() + .minutes(1)
            record.isAskedFor = true
            for known in record.allNames { try view.names.forget(known) }
            id = try view.accounts.add(record).id
        }
        try reload()
        guard let id, !isEnrolled else {
            log.write(.warning, "an enrolled account was registered again; ignored")
            return tell(.alreadyEnrolled, name)
        }
        return start(.enroll(id))
    }

    /// `mam_check_in`: one account, or every enrolled one.
    public func checkIn(_ argument: AccountArgument) throws(MAMError) -> Int64 {
        try checkRoom()
        let snapshot = try current()
        for entry in snapshot.wipes where entry.id.isEmpty && !settings.isExtension {
            lock.held { operations.addUnlessQueued(.wipe(entry), subject: entry.subject) }
        }
        let enrolled = snapshot.accounts.filter(\.isEnrolled)
        switch argument {
        case .noUser:
            throw .argument(
                "account", "is \"\", which nobody enrolls; name an account, or none for all", originalCode: 207)
        case .notGiven:
            guard !enrolled.isEmpty, !settings.isExtension else {
                return tell(isExtension(snapshot) ? .unsupportedAPI : .appNotEnrolled, nil)
            }
            return start(.checkIn(enrolled.map(\.row.id)))
        case .named(let identity):
            let name = AccountName(accountId: nil, upn: identity.text, tenantId: nil)
            if isExtension(snapshot) { return tell(.unsupportedAPI, name) }
            try checkKnown(argument, snapshot)
            guard let account = snapshot.find(identity), account.isEnrolled else {
                return tell(enrolled.isEmpty ? .appNotEnrolled : .notEnrolledAccount, name)
            }
            return start(.checkIn([account.row.id]))
        }
    }

    /// `mam_deregister_and_unenroll`.
    public func deregister(_ argument: AccountArgument, isWipe: Bool) throws(MAMError) -> Int64 {
        if isWipe { return try wipe(argument, reason: "deregistration") }
        let identity = try named(argument)
        let snapshot = try current()
        try checkMayChangeAccounts()
        guard let account = snapshot.holder(of: identity), account.state != .unenrolled else {
            guard (try? snapshot.names.get())?.isRegistered(identity.folded) == true else {
                throw Session.notRegistered(identity)
            }
            return try forgetName(identity)
        }
        return try unenroll(account)
    }

    /// A name that must be there.
    func named(_ argument: AccountArgument) throws(MAMError) -> Identity {
        guard case .named(let identity) = argument else {
            throw .argument("account", "is missing; name an account id or a UPN", originalCode: 207)
        }
        return identity
    }

    static func notRegistered(_ identity: Identity) -> MAMError {
        MAMError(
            .notRegistered,
            "the account is not registered with this app; the list of registered accounts names those that are",
            [("accountId", .string(identity.text))])
    }

    /// Whether one more operation may wait. Who leaves or is wiped never waits for room.
    func checkRoom() throws(MAMError) {
        let count = lock.held { operations.count }
        guard count < OperationBoard.capacity else {
            throw MAMError(.noSpace, "\(count) operations have not ended yet; wait for some to end")
        }
    }

    /// Queue an operation.
    func start(_ work: OperationBoard.Work) -> Int64 {
        let id = operations.add(work)
        ringWorker()
        return id
    }

    /// An operation that is decided already.
    func tell(_ code: StatusCode, _ name: AccountName?) -> Int64 {
        start(.tell(status(code, accountId: name?.accountId, upn: name?.upn)))
    }

    /// A status object for people and programs.
    func status(
        _ code: StatusCode, accountId: String? = nil, upn: String? = nil, message: String? = nil
    ) -> EnrollmentStatus {
        let text = message.map { $0.isEmpty ? code.guidance : "\($0). \(code.guidance)" } ?? code.guidance
        return EnrollmentStatus(accountId: accountId, upn: upn, code: code, message: text, time: clock.now())
    }

    /// The same of an account that is known.
    func status(_ code: StatusCode, of account: Account, message: String? = nil) -> EnrollmentStatus {
        status(code, accountId: account.accountId, upn: account.record.upn, message: message)
    }

    /// Whether a row is the account of a name: any given name equal to any known one.
    static func isSame(_ record: AccountRecord, _ name: AccountName) -> Bool {
        let known = AccountName(record).folded
        return name.folded.contains(where: known.contains)
    }

    /// Why an account may not be registered here at all.
    func registrationRefusal(_ name: AccountName, _ snapshot: Snapshot) -> StatusCode? {
        if isExtension(snapshot) { return .unsupportedAPI }
        // An enrolled account goes by all of its names, whichever it is called by.
        let enrolled = snapshot.accounts.first { $0.isEnrolled && Session.isSame($0.record, name) }
        let device = snapshot.device.accounts
        return enrolled.map { device.refusal(of: $0.record) } ?? device.refusal(of: name)
    }

    // MARK: Lists

    func json(of account: Account, in snapshot: Snapshot) -> JSON {
        account.json(next: next(of: account, in: snapshot))
    }

    /// `mam_registered_accounts`.
    public func registeredAccounts() throws(MAMError) -> JSON {
        let snapshot = try currentRecords()
        let open = snapshot.accounts.filter { $0.state != .unenrolled }.map { json(of: $0, in: snapshot) }
        let wiping = snapshot.wipes.filter { $0.step < .removed }.map { entry -> JSON in
            [
                "accountId": .string(entry.accountId), "upn": .optional(entry.upn), "tenantId": .null,
                "state": "wiping",
                "managed": true, "test": false, "lastCheckIn": .null, "nextCheckIn": .null, "lastCode": .null,
                "lastMessage": .null,
            ]
        }
        return .array(open + wiping)
    }

    /// `mam_enrolled_accounts`.
    public func enrolledAccounts() throws(MAMError) -> JSON {
        let snapshot = try currentRecords()
        return .array(snapshot.accounts.filter(\.isEnrolled).map { json(of: $0, in: snapshot) })
    }

    /// `mam_primary_account`.
    public func primaryAccount() throws(MAMError) -> JSON {
        let snapshot = try currentRecords()
        let enrolled = snapshot.accounts.filter(\.isEnrolled)
        guard !snapshot.settings.bool(SettingKey.multiManagedIdentities), enrolled.count == 1 else { return .null }
        return enrolled.first.map { json(of: $0, in: snapshot) } ?? .null
    }
}
