import MAMFiles
import MAMPolicy
import MAMState
import MAMSupport

/// Files that change owners: between accounts by the transfer rule, to nobody by the save-to rule and an explicit call alone.
extension Session {
    /// The check made before a file is given to another owner. `isUnmanaging`: the host has asked for the owner's protection to
    /// be taken off.
    func judging(
        for argument: AccountArgument, _ snapshot: Snapshot, isUnmanaging: Bool = false
    ) -> FileOwners.Judging {
        { [self] (place, known) throws(MAMError) in
            if known.isEncrypted, known.dataKey == nil, isUnmanaging || isOfAnother(known, argument, snapshot) {
                throw Session.unsupported(
                    place.written,
                    "is an encrypted SQLite database, or its log; mam_sqlite_decrypt makes it plain first")
            }
            try checkTransfer(of: known, at: place.shown, to: argument, snapshot, isUnmanaging: isUnmanaging)
        }
    }

    /// Whether attribute or index name another account of this app than the receiver's.
    private func isOfAnother(_ known: FileOwner, _ receiver: AccountArgument, _ snapshot: Snapshot) -> Bool {
        guard known.isAuthenticated, let owner = known.account.flatMap({ snapshot.find(folded: Identity.fold($0)) })
        else { return false }
        return owner.wasManaged && receiver.identity.flatMap { snapshot.find($0) } !== owner
    }

    /// Fails where the present owner of a file does not let it go to another one.
    func checkTransfer(
        of known: FileOwner, at path: String, to argument: AccountArgument, _ snapshot: Snapshot, isUnmanaging: Bool
    ) throws(MAMError) {
        let receiver = argument.identity.flatMap { snapshot.find($0) }
        for owner in try protectedOwners(of: known, path, snapshot) where owner.row.id != receiver?.row.id {
            // Enrolled, its policy decides, be it none; otherwise nobody may say that its data goes.
            guard owner.isEnrolled else {
                throw .file(
                    .notEnrolled, path,
                    "is data of an account that was unenrolled; it is readable, and goes to nobody else until the account is"
                        + " registered again",
                    originalCode: nil, [("owner", .string(owner.accountId))])
            }
            if let receiver, receiver.policy != nil {
                let decision = owner.party.saveTo(.accountDocument, .other(receiver.party))
                guard decision.allowed else { throw .refused(decision.reason, path) }
                continue
            }
            let counterpart: Counterpart = argument.identity == nil ? .unknown : .other(.unmanaged)
            let decision = owner.party.saveTo(.other, counterpart)
            guard decision.allowed else { throw .refused(decision.reason, path) }
            guard isUnmanaging else { throw Session.staysProtected(path, owner, argument) }
        }
    }

    /// The accounts of this app whose protection a file has: the ones that own it, and the one that sealed it.
    func protectedOwners(
        of known: FileOwner, _ path: String, _ snapshot: Snapshot
    ) throws(MAMError) -> [Account] {
        var accounts: [Account] = []
        if let key = known.dataKey, let account = try dataKey(named: key.id, epoch: key.epoch, in: snapshot)?.owner {
            accounts.append(account)
        }
        guard let holders = try holders(of: known, snapshot) else {
            // A directory of an account that has left is free for another one; what it left in files is not.
            guard known.hasOwnLabel, !known.isDirectory else { return accounts }
            throw MAMError(
                .notEnrolled, "\(path): is data of an account that was wiped or unenrolled; remove the file",
                [("path", .string(path))])
        }
        for holder in holders where !accounts.contains(where: { $0.row.id == holder.row.id }) {
            // One that was never managed here protects nothing.
            if holder.policy != nil || holder.wasManaged { accounts.append(holder) }
        }
        return accounts
    }

    private static func staysProtected(_ path: String, _ owner: Account, _ argument: AccountArgument) -> MAMError {
        let name = owner.record.upn ?? owner.accountId
        let receiver = argument.identity.map { "\($0.text), which is not managed in this app" } ?? "nobody"
        return MAMError(
            .denied,
            "\(path): is data of \(name) and stays protected; mam_file_unmanage (mamctl file protect --unmanage) gives it to"
                + " \(receiver)",
            [("path", .string(path)), ("owner", .string(owner.accountId))])
    }

    /// A new file does not take the place of one that another account owns.
    func refuseForeignTarget(
        _ target: FilePath, of own: [Account], _ argument: String, _ snapshot: Snapshot
    ) throws(MAMError) {
        guard let there = try owners.findIfThere(try FilePlace(target)), !there.isDirectory else { return }
        for owner in try protectedOwners(of: there, target.text, snapshot)
        where !own.contains(where: { $0.row.id == owner.row.id }) {
            throw .file(
                .denied, target.text,
                "is data of \(owner.record.upn ?? owner.accountId), which another owner's file does not replace",
                originalCode: nil, [("argument", .string(argument)), ("owner", .string(owner.accountId))])
        }
    }

    /// `mam_file_unmanage`: give a file to nobody, or to a name that nobody manages.
    public func unmanageFile(_ path: FilePath, _ account: AccountArgument) throws(MAMError) {
        try owners.refuseState(path)
        let wait = interrupts.begin()
        let snapshot = try current()
        let named = orEffective(account, snapshot)
        if let managed = try managedOwner(of: named, snapshot, late: Session.notPersonal) {
            throw .argument(
                "account", "names \(managed.accountId), which is managed; mam_file_protect gives a file to an account")
        }
        let owner = try owner(for: named)
        try owners.set(
            path, to: owner, judging: judging(for: named, snapshot, isUnmanaging: true),
            forming: try forming(for: owner, isUnmanaging: true)
        ) { wait.isOver }
    }
}
