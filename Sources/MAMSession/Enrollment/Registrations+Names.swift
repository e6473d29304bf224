import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Lists of accounts, and names that the host registers without enrolling them: shared mailboxes, colleagues.
extension Registrations {
    /// `mam_register_account`.
    public func registerName(_ argument: AccountArgument) throws(MAMError) {
        let identity = try argument.named()
        try settings.checkMayChangeAccounts()
        let snapshot = try current()
        let status = snapshot.status(of: identity)
        switch status {
        case .managed, .unmanaged: return
        case .closed, .wiping, .retired:
            if let refusal = snapshot.error(for: identity, status, "the name is not registered") { throw refusal }
        case .unregisteredWorkName, .personal: break
        }
        let hasRoom = try state.commitForAll { (view) throws(MAMError) in try view.names.register(identity.text) }
        guard hasRoom else {
            throw MAMError(
                .noSpace,
                "\(NameStore.maximumRegistered) names are registered without an enrollment; forget some with mam_deregister_and_unenroll"
            )
        }
        try reload()
    }

    /// `mam_known_accounts`.
    public func knownNames() throws(MAMError) -> JSON { .strings(try current().names.get().registered) }

    /// Forget a name that was registered without enrolling it.
    func forgetName(_ identity: Identity) throws(MAMError) -> Int64 {
        try state.commitForAll { (view) throws(MAMError) in try view.names.forget(identity.text) }
        try reload()
        return startEnded(.unenrollmentSuccess, AccountName(upn: identity.text))
    }

    /// `mam_registered_accounts`.
    public func registeredAccounts() throws(MAMError) -> JSON {
        let snapshot = try snapshots.currentRecords()
        let open = snapshot.accounts.filter { $0.state != .unenrolled }.map { schedule.json(of: $0, in: snapshot) }
        return .array(open + snapshot.wipes.filter { $0.step < .removed }.map(json))
    }

    /// `mam_registered_account`.
    public func registeredAccount(_ argument: AccountArgument) throws(MAMError) -> JSON {
        let identity = try argument.named()
        let snapshot = try snapshots.currentRecords()
        if let account = snapshot.find(identity), account.state != .unenrolled {
            return schedule.json(of: account, in: snapshot)
        }
        return snapshot.wipe(of: identity).map(json) ?? .null
    }

    /// An account that is being wiped, in the form of a registered one.
    private func json(_ entry: WipeEntry) -> JSON {
        [
            "accountId": .string(entry.accountId), "upn": .optional(entry.upn), "tenantId": .null, "state": "wiping",
            "managed": true, "test": false, "lastCheckIn": .null, "lastAttempt": .null, "nextCheckIn": .null,
            "lastCode": .null, "lastMessage": .null,
        ]
    }

    /// `mam_enrolled_accounts`.
    public func enrolledAccounts() throws(MAMError) -> JSON {
        let snapshot = try snapshots.currentRecords()
        return .array(snapshot.accounts.filter(\.isEnrolled).map { schedule.json(of: $0, in: snapshot) })
    }

    /// `mam_former_account`. A wipe whose commit is still to come has no departure, and a name of an enrolled account may have one in a
    /// state that was put back.
    public func formerAccount(_ argument: AccountArgument, in language: Language) throws(MAMError) -> JSON {
        let identity = try argument.named()
        let snapshot = try current()
        guard snapshot.find(identity)?.isEnrolled != true else { return .null }
        let departure = try snapshot.names.get().departure(identity.folded)
        let wipe = snapshot.wipe(of: identity)?.reason ?? departure?.wipe
        guard wipe != nil || departure != nil else { return .null }
        let members: [(key: String, value: JSON)] = [
            ("end", wipe != nil ? "wiped" : "unenrolled"), ("reason", .optional(wipe?.rawValue)),
            ("time", .optional(departure?.time.rfc3339)),
        ]
        return .object(members + language.members(wipe != nil ? .eventWipeDidComplete : .errorAccountRemoved))
    }

    /// `mam_primary_account`.
    public func primaryAccount() throws(MAMError) -> JSON {
        let snapshot = try snapshots.currentRecords()
        let enrolled = snapshot.accounts.filter(\.isEnrolled)
        guard !snapshot.settings.bool(SettingKey.multiManagedIdentities), enrolled.count == 1 else { return .null }
        return enrolled.first.map { schedule.json(of: $0, in: snapshot) } ?? .null
    }
}
