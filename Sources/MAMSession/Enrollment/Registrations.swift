import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Unenrolls accounts without a wipe.
protocol Unenrolling: AnyObject, Sendable {
    /// Unenroll an account; returns the operation that reports it to the authority.
    func unenroll(_ account: Account) throws(MAMError) -> Int64
}

/// Wipes the account of a name at the host's request.
protocol HostWiping: AnyObject, Sendable {
    /// Wipe an account; returns the operation that completes the wipe.
    func wipe(_ argument: AccountArgument, reason: WipeReason) throws(MAMError) -> Int64
}

/// Registering, enrolling and unenrolling at the host's request. Changes that must be durable are written before a call returns;
/// the rest runs as operations.
public final class Registrations: SessionService, Sendable {
    let context: SessionContext
    let unenrollments: any Unenrolling
    let wipes: any HostWiping

    init(_ context: SessionContext, _ unenrollments: any Unenrolling, _ wipes: any HostWiping) {
        (self.context, self.unenrollments, self.wipes) = (context, unenrollments, wipes)
    }

    /// `mam_register_and_enroll`: the registration is durable when this returns; enrolling is an operation.
    public func registerAndEnroll(_ json: JSON) throws(MAMError) -> Int64 {
        let name = try AccountName(json: json, "account")
        try operations.checkRoom()
        let snapshot = try current()
        if let refusal = snapshot.registrationRefusal(name, settings) { return startEnded(refusal, name) }
        var id: AccountRowID?
        var isEnrolled = false
        let isKnown = snapshot.accounts.contains { name.matches($0.record) }
        try state.commitForAll(mayAddAccount: !isKnown) { (view) throws(MAMError) in
            for row in try view.liveAccounts()
            where name.matches(row.record) && !row.record.isAuthorityForgotten {
                id = row.id
                // An enrolled account needs nothing; a registered one is enrolled now.
                guard row.record.state == .unenrolled else {
                    isEnrolled = row.record.state == .enrolled
                    if !isEnrolled { try view.accounts.change(row) { record in record.isAskedFor = true } }
                    return
                }
                try view.accounts.change(row) { (record) throws(MAMError) in
                    try record.advance(.registered)
                    record.nextCheckIn = clock.now() + .minutes(1)
                    record.nextInUse = nil
                    record.failures = 0
                    record.isAskedFor = true
                }
                return
            }
            var record = AccountRecord(accountId: name.accountId, upn: name.upn, tenantId: name.tenantId)
            record.nextCheckIn = clock.now() + .minutes(1)
            record.isAskedFor = true
            for known in record.allNames { try view.names.forget(known) }
            id = try view.accounts.add(record).id
        }
        try reload()
        guard let id, !isEnrolled else {
            log.write(.warning, "an enrolled account was registered again; ignored")
            return startEnded(.alreadyEnrolled, name)
        }
        return operations.start(.enroll(id))
    }

    /// `mam_check_in`: one account, or every enrolled one.
    public func checkIn(_ argument: AccountArgument) throws(MAMError) -> Int64 {
        try operations.checkRoom()
        let snapshot = try current()
        for entry in snapshot.wipes where entry.id.isEmpty && !settings.isExtension {
            operations.startUnlessQueued(.wipe(entry), subject: entry.subject)
        }
        let enrolled = snapshot.accounts.filter(\.isEnrolled)
        switch argument {
        case .noUser:
            throw .argument(
                "account", "is \"\", which cannot be enrolled; name an account, or pass NULL for all",
                originalCode: .nilAccount)
        case .notGiven:
            guard !enrolled.isEmpty, !settings.isExtension else {
                return startEnded(snapshot.isExtension(settings) ? .unsupportedAPI : .appNotEnrolled, nil)
            }
            return operations.start(.checkIn(enrolled.map(\.row.id)))
        case .named(let identity):
            let name = AccountName(accountId: nil, upn: identity.text, tenantId: nil)
            if snapshot.isExtension(settings) { return startEnded(.unsupportedAPI, name) }
            try snapshot.checkKnown(argument)
            guard let account = snapshot.find(identity), account.isEnrolled else {
                return startEnded(enrolled.isEmpty ? .appNotEnrolled : .notEnrolledAccount, name)
            }
            return operations.start(.checkIn([account.row.id]))
        }
    }

    /// `mam_deregister_and_unenroll`.
    public func deregister(_ argument: AccountArgument, isWipe: Bool) throws(MAMError) -> Int64 {
        if isWipe { return try wipes.wipe(argument, reason: .deregistration) }
        let identity = try argument.named()
        let snapshot = try current()
        try settings.checkMayChangeAccounts()
        guard let account = snapshot.holder(of: identity), account.state != .unenrolled else {
            guard (try? snapshot.names.get())?.isRegistered(identity.folded) == true else {
                throw snapshot.notRegistered(identity)
            }
            return try forgetName(identity)
        }
        return try unenrollments.unenroll(account)
    }
}
