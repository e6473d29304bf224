import MAMFiles
import MAMPolicy
import MAMState
import MAMSupport

/// Changes of a file's owner. The transfer rule decides between accounts. The save-to rule decides for no user and for names that are
/// not managed, and only `mam_file_unmanage` gives a file to these.
extension Files {
    func authorizing(
        for argument: AccountArgument, _ snapshot: Snapshot, isUnmanaging: Bool
    ) -> OwnershipStore.Authorizing {
        { [self] (location, known) throws(MAMError) in
            if known.isEncrypted, known.dataKey == nil, isUnmanaging || snapshot.isOfAnother(known, than: argument) {
                throw MAMError.unsupportedFile(
                    location.givenPath,
                    "is an encrypted SQLite database, or its log; mam_sqlite_decrypt makes it plain first")
            }
            try checkTransfer(of: known, at: location.displayPath, to: argument, snapshot, isUnmanaging: isUnmanaging)
        }
    }

    /// Returns the check of what keeps its owner in a directory that is protected for a name. Files of the directory's former owner go
    /// along where policy allows it; files of other accounts and files that were explicitly given to no user do not.
    func keeping(from argument: AccountArgument, _ snapshot: Snapshot) -> OwnershipStore.Keeping {
        let receiver = snapshot.fileHolder(named: Array((argument.text ?? "").utf8))
        // For anybody else, an account's file in the directory is a refusal: the name is probably mistaken.
        let isManaged = argument.identity.flatMap { snapshot.find($0) }?.policy != nil
        return { [self] (known, directory) throws(MAMError) in
            if known.hasOwnOwner, snapshot.isLeftByWipe(known) { return .wiped }
            var along = [receiver]
            if directory.isAuthenticated, snapshot.isOfThisApp(directory), let former = directory.account,
                !former.isEmpty
            {
                along.append(snapshot.fileHolder(named: former))
            }
            // A foreign label does not verify; a person's own file with one is not an account's to take, and to wipe, all the same.
            if known.hasOwnOwner, known.isAuthenticated || known.disagreement == .attributeForeign {
                guard snapshot.isOfThisApp(known) else { return .otherApp }
                for name in [known.account, known.indexed].compactMap(\.self) {
                    guard !along.contains(snapshot.fileHolder(named: name)) else { continue }
                    if name.isEmpty { return .noUser }
                    return isManaged ? .otherAccount : nil
                }
            }
            guard let key = known.dataKey,
                let account = try keys.dataKey(named: key.id, epoch: key.epoch, in: snapshot)?.owner
            else { return nil }
            return !isManaged || along.contains(.account(account.row.id)) ? nil : .otherAccount
        }
    }

    func checkTransfer(
        of known: FileOwnership, at path: String, to argument: AccountArgument, _ snapshot: Snapshot, isUnmanaging: Bool
    ) throws(MAMError) {
        do throws(MAMError) {
            try checkRules(of: known, at: path, to: argument, snapshot, isUnmanaging: isUnmanaging)
        } catch {
            throw Files.explained(error, known)
        }
    }

    /// Adds to a refusal that the file replaced an account's: it may be that file, saved by an editor, or one that has nothing to do
    /// with it.
    static func explained(_ error: MAMError, _ known: FileOwnership) -> MAMError {
        guard known.disagreement == .replaced else { return error }
        return MAMError(
            error.code,
            "\(error.message); another program put this file in the place of the account's (\"replaced\" of mam_file_info), and it counts"
                + " as that file, saved anew; if it is another one, rename it, and give the new path",
            error.detail + [("disagreement", .string(FileOwnership.Disagreement.replaced.rawValue))],
            for: error.messageKey)
    }

    private func checkRules(
        of known: FileOwnership, at path: String, to argument: AccountArgument, _ snapshot: Snapshot, isUnmanaging: Bool
    ) throws(MAMError) {
        let receiver = argument.identity.flatMap { snapshot.find($0) }
        for owner in try protectedOwners(of: known, path, snapshot) where owner.row.id != receiver?.row.id {
            // The policy of an enrolled account decides; without enrollment no policy can allow it.
            guard owner.isEnrolled else {
                throw .file(
                    .notEnrolled, path,
                    "is data of an account that was unenrolled; it is readable, and is given to no other account until the account is"
                        + " registered again",
                    [("owner", .string(owner.accountId))], for: .errorAccountRemoved)
            }
            if let receiver, receiver.policy != nil {
                let decision = owner.accountPolicy.saveTo(.accountDocument, .other(receiver.accountPolicy))
                guard decision.allowed else { throw .refused(decision.reason, path, in: settings.language) }
                continue
            }
            let peer: TransferPeer = argument.identity == nil ? .unknown : .other(.unmanaged)
            let decision = owner.accountPolicy.saveTo(.other, peer)
            guard decision.allowed else { throw .refused(decision.reason, path, in: settings.language) }
            guard isUnmanaging else { throw Files.staysProtected(path, owner, argument) }
        }
    }

    func protectedOwners(
        of known: FileOwnership, _ path: String, _ snapshot: Snapshot
    ) throws(MAMError) -> [Account] {
        var accounts: [Account] = []
        if let key = known.dataKey,
            let account = try keys.dataKey(named: key.id, epoch: key.epoch, in: snapshot)?.owner
        {
            accounts.append(account)
        }
        guard let owners = try snapshot.accounts(owning: known) else {
            // A directory that a wipe has emptied may be given away; files that the account left may not.
            guard known.isDirectory || !known.hasOwnOwner, known.disagreement != .attributeForeign,
                !snapshot.isOfUnknownAccount(known)
            else { throw snapshot.accountHasLeft(known, path, "remove the file") }
            return accounts
        }
        for owner in owners where !accounts.contains(where: { $0.row.id == owner.row.id }) {
            // An account that was never managed here protects nothing.
            if owner.policy != nil || owner.wasManaged { accounts.append(owner) }
        }
        return accounts
    }

    private static func staysProtected(_ path: String, _ owner: Account, _ argument: AccountArgument) -> MAMError {
        let name = owner.record.upn ?? owner.accountId
        let receiver = argument.identity.map { "\($0.text), which is not managed in this app" } ?? "no account"
        return MAMError(
            .denied,
            "\(path): is data of \(name) and stays protected; mam_file_unmanage gives it to"
                + " \(receiver)",
            [("path", .string(path)), ("owner", .string(owner.accountId))], for: .errorOtherAccount)
    }

    func checkTarget(
        _ target: FilePath, of own: [Account], _ argument: String, _ snapshot: Snapshot
    ) throws(MAMError) {
        let location = try FileLocation(target)
        guard let there = try owners.findIfThere(location) else {
            // The copy would have no label, and be refused at once.
            if own.isEmpty { try snapshot.checkIsKnown(try owners.directoryOwner(of: location), target.text) }
            return
        }
        guard !there.isDirectory else { return }
        for owner in try protectedOwners(of: there, target.text, snapshot)
        where !own.contains(where: { $0.row.id == owner.row.id }) {
            let refusal = MAMError.file(
                .denied, target.text,
                "is data of \(owner.record.upn ?? owner.accountId), which another owner's file does not replace",
                originalCode: nil, [("argument", .string(argument)), ("owner", .string(owner.accountId))],
                for: .errorOtherAccount)
            throw Files.explained(refusal, there)
        }
    }
}
