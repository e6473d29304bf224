import MAMFiles
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

extension Files {
    /// `mam_file_protect`.
    public func protect(_ path: FilePath, _ account: AccountArgument) throws(MAMError) {
        try setOwner(of: path, account, verifies: false)
    }

    /// `mam_file_verify_and_protect`.
    public func verifyAndProtect(_ path: FilePath, _ account: AccountArgument) throws(MAMError) {
        try setOwner(of: path, account, verifies: true)
    }

    /// Give a file to an account; with `verifies`, unless all sources agree on it already.
    private func setOwner(of path: FilePath, _ account: AccountArgument, verifies: Bool) throws(MAMError) {
        try owners.refuseLibraryFiles(path)
        let wait = interrupts.beginWait()
        let snapshot = try current()
        let owner = try owner(for: account)
        let authorizing = authorizing(for: givenOrEffective(account, snapshot), snapshot, isUnmanaging: false)
        let keeping = keeping(from: givenOrEffective(account, snapshot), snapshot)
        let converting = try converting(for: owner)
        let left =
            if verifies {
                try owners.verifyAndSet(
                    path, to: owner, authorizing: authorizing, keeping: keeping, converting: converting,
                    checking: { [self] (location, kind) throws(MAMError) in
                        guard case .sealed(let header) = kind else { return }
                        _ = try key(of: header, location.displayPath, snapshot)
                    }
                ) { wait.isInterrupted }
            } else {
                try owners.set(path, to: owner, authorizing: authorizing, keeping: keeping, converting: converting) {
                    wait.isInterrupted
                }
            }
        warn(of: left, in: path)
    }

    /// Names the files that protecting a directory has left to their owners.
    private func warn(of left: RemainingFiles, in path: FilePath) {
        guard let first = left.named.first else { return }
        let others = left.count > 1 ? " (and \(left.count - 1) more)" : ""
        events.warn(
            "a directory was protected without \(first.path), which \(first.reason.text)\(others)",
            [
                ("path", .string(path.text)), ("left", .integer(left.count)),
                (
                    "named",
                    .array(left.named.map { ["path": .string($0.path), "reason": .string($0.reason.rawValue)] })
                ),
            ])
    }

    /// `mam_file_unmanage`: gives a file to no user, or to a name that is not managed.
    public func unmanage(_ path: FilePath, _ account: AccountArgument) throws(MAMError) {
        try owners.refuseLibraryFiles(path)
        let wait = interrupts.beginWait()
        let snapshot = try current()
        let named = givenOrEffective(account, snapshot)
        if let managed = try snapshot.managedFileOwner(of: named) {
            throw .argument(
                "account", "names \(managed.accountId), which is managed; mam_file_protect gives a file to an account")
        }
        let owner = try owner(for: named)
        try owners.set(
            path, to: owner, authorizing: authorizing(for: named, snapshot, isUnmanaging: true),
            converting: try converting(for: owner, isUnmanaging: true)
        ) { wait.isInterrupted }
    }

    /// Returns the conversion after a change of owner: the file is sealed where the new owner's policy requires it, and plain
    /// otherwise. Containers stay as they are, unless the file becomes unmanaged. Sealed files of an account that has lost its policy
    /// stay as well: no policy says that they may be plain.
    private func converting(for owner: Owner, isUnmanaging: Bool = false) throws(MAMError) -> OwnershipStore.Converting
    {
        let snapshot = try current()
        let account = snapshot.accounts.first { $0.row.id == owner.account }
        let managed = account.flatMap { $0.policy != nil && $0.ownAccountPolicy.encryptsFiles ? $0 : nil }
        return { [self] (location, kind) throws(MAMError) in
            if case .container = kind, !isUnmanaging || !kind.isEncrypted { return }
            let header: SealedFileHeader? = if case .sealed(let header) = kind { header } else { nil }
            // Sealed for this account already, perhaps under a former key: mam_file_reprotect seals it under the newest one.
            if let account, let header, managed != nil || (account.policy == nil && !isUnmanaging),
                try key(of: header, location.displayPath, snapshot).owner?.row.id == account.row.id
            {
                return
            }
            if let managed {
                guard managed.key != nil else { throw Account.noKeyError }
                // SQLite could not open it as a sealed file, nor could a process that has it open.
                guard header != nil || !location.isDatabase() else {
                    throw MAMError.unsupportedFile(
                        location.givenPath,
                        "is a plain SQLite database, and its owner's policy requires encryption; mam_sqlite_encrypt"
                            + " encrypts it, and mam_file_encrypt one that SQLite is not to open")
                }
            } else if case .plain = kind {
                return
            }
            let conversion = try FileConversion(location, isInPlace: true, state)
            try convert(conversion, location.givenPath, snapshot, to: managed, managed?.key)
        }
    }

    func givenOrEffective(_ argument: AccountArgument, _ snapshot: Snapshot) -> AccountArgument {
        guard case .notGiven = argument else { return argument }
        return identities.effective(.file, .standard, snapshot).members?.first ?? .notGiven
    }

    /// Fails, as `mam_protect` does, where a late write would label an account's data as personal.
    func owner(for argument: AccountArgument) throws(MAMError) -> Owner {
        let snapshot = try current()
        let named = givenOrEffective(argument, snapshot)
        let argument = named == .notGiven ? .noUser : named
        _ = try keys.sealer(for: argument, content: .file)
        return snapshot.label(of: argument)
    }

    /// Without a managed account files have no owners, except in a directory that an account left behind, and those that were
    /// explicitly given to no user: an account that comes later must not take them with their directory. In a directory of an account
    /// that is not known here a name that is not managed may be that account's, so nothing is made for it; what is there as a
    /// person's own is replaced.
    func label(
        ofNew argument: AccountArgument, at location: FileLocation, isGiven: Bool, _ snapshot: Snapshot
    ) throws(MAMError) -> Owner? {
        guard argument != .notGiven else { return nil }
        let owner = try snapshot.isManaging ? owner(for: argument) : snapshot.label(of: argument)
        if owner.isManaged || argument == .noUser && isGiven { return owner }
        let directory = try owners.directoryOwner(of: location)
        if let directory, snapshot.isOfUnknownAccount(directory), try !owners.isPersonal(location) {
            throw snapshot.accountHasLeft(directory, location.displayPath)
        }
        return directory == nil && !snapshot.isManaging ? nil : owner
    }

    /// `mam_file_info`: returns JSON text. The answer about a file with a verified label is cached until the file changes.
    public func info(_ path: FilePath) throws(MAMError) -> [UInt8] {
        let snapshot = try current()
        let generationWord = snapshot.generationWord
        if let known = cache.answer(path, generationWord: generationWord) { return known }
        let moment = cache.moment(path)
        let owner = try owners.find(path)
        let isKeyAvailable = try owner.sealedHeader.map { (header) throws(MAMError) in
            try keys.dataKey(named: header.keyId, epoch: header.epoch, in: snapshot) != nil
        }
        let answer = owner.json(isKeyAvailable: isKeyAvailable).utf8
        if let moment, owner.hasVerifiedAttribute { cache.keep(answer, moment, generationWord: generationWord) }
        return answer
    }

    /// `mam_policy_can_receive_file`: only an owner that verifies counts as the sender; any other file has an unknown sender.
    public func receive(_ handle: PolicyHandle, file path: FilePath) throws(MAMError) -> Decision {
        let snapshot = try current(within: 1000)
        var owner = try sealingAccount(of: path, snapshot)
        let found = try owners.find(path)
        if owner == nil, let key = found.dataKey {
            owner = try keys.dataKey(named: key.id, epoch: key.epoch, in: snapshot).map {
                Array($0.owner.accountId.utf8)
            }
        }
        if owner == nil, found.isAuthenticated, found.disagreement == nil, !snapshot.isOfUnknownAccount(found) {
            owner = found.account
        }
        let decision = handle.accountPolicy(in: snapshot).receive(
            from: snapshot.peer(try AccountArgument(bytes: owner), of: handle.subject))
        guard decision.allowed, owner == nil else { return decision }
        // Data that an account has left behind has an unknown sender; a label that does not verify makes it no error.
        if !found.isAuthenticated, try snapshot.accounts(owning: found) == nil { return decision }
        return try refusal(byOwnersOf: found, path, handle.subject, handle.accountPolicy(in: snapshot), snapshot)
            ?? decision
    }

    /// Where attribute and index disagree, or the attribute does not verify, the policy of each account that they name must allow the
    /// transfer.
    func refusal(
        byOwnersOf known: FileOwnership, _ path: FilePath, _ receiver: PolicySubject, _ policy: AccountPolicy,
        _ snapshot: Snapshot
    ) throws(MAMError) -> Decision? {
        guard known.disagreement != nil else { return nil }
        for owner in try protectedOwners(of: known, path.text, snapshot) {
            let decision = policy.receive(
                from: snapshot.peer(try AccountArgument(stored: owner.accountId), of: receiver))
            if !decision.allowed { return decision }
        }
        return nil
    }

    /// Returns the account that the container in a file names, where a data key or exchange key of this app verifies it. Unlike
    /// `mam_file_import`, it does not ask the authority for keys.
    private func sealingAccount(of path: FilePath, _ snapshot: Snapshot) throws(MAMError) -> [UInt8]? {
        guard let source = try? SourceFile(path), case .container(let header) = source.kind,
            header.algorithm == ContainerHeader.sealed
        else { return nil }
        var key = try keys.dataKey(named: header.keyId, epoch: header.epoch, in: snapshot)?.key
        if key == nil, let account = snapshot.find(folded: Identity.fold(header.accountId)), account.policy != nil {
            key = try keys.keptExchangeKey(named: header, of: account)
        }
        guard let key,
            source.beginning.withUnsafeBytes({ Container.verifySealedHeader($0, header: header, key: key) })
        else { return nil }
        return header.accountId
    }
}
