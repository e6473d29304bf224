import MAMFiles
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

extension Session {
    /// Whose files are.
    var owners: FileOwners { FileOwners(state) }

    /// `mam_file_protect`.
    public func protectFile(_ path: FilePath, _ account: AccountArgument) throws(MAMError) {
        try owners.refuseState(path)
        let wait = interrupts.begin()
        let snapshot = try current()
        let owner = try owner(for: account)
        try owners.set(
            path, to: owner, judging: judging(for: orEffective(account, snapshot), snapshot),
            forming: try forming(for: owner)
        ) { wait.isOver }
    }

    /// `mam_file_verify_and_protect`.
    public func verifyAndProtectFile(_ path: FilePath, _ account: AccountArgument) throws(MAMError) {
        try owners.refuseState(path)
        let wait = interrupts.begin()
        let snapshot = try current()
        let owner = try owner(for: account)
        try owners.verifyAndSet(
            path, to: owner, judging: judging(for: orEffective(account, snapshot), snapshot),
            forming: try forming(for: owner)
        ) { wait.isOver }
    }

    /// Sealed where the owner's policy requires it, plain where it does not or where nobody manages the owner. Containers keep
    /// their form, unless protection is taken off.
    func forming(for owner: Owner, isUnmanaging: Bool = false) throws(MAMError) -> FileOwners.Forming {
        let snapshot = try current()
        let account = snapshot.accounts.first { $0.row.id == owner.account }
        let managed = account.flatMap { $0.policy != nil && $0.ownParty.encryptsFiles ? $0 : nil }
        return { [self] (place, form) throws(MAMError) in
            if case .container = form, !isUnmanaging || !form.isEncrypted { return }
            let header: SealedHeader? = if case .sealed(let header) = form { header } else { nil }
            if let managed {
                // Any of its keys: a newer epoch is for mam_rotate_keys.
                if let header, try fileKey(header, place.shown, snapshot).owner?.row.id == managed.row.id { return }
                guard managed.key != nil else { throw Session.hasNoKey }
                // Sealed as a file it would be none to SQLite, and to who has it open.
                guard header != nil || !place.isDatabase() else {
                    throw Session.unsupported(
                        place.written,
                        "is a plain SQLite database, and its owner's policy requires encryption; mam_sqlite_encrypt"
                            + " encrypts it, and mam_file_encrypt one that SQLite is not to open")
                }
            } else if case .plain = form {
                return
            }
            let conversion = try Conversion(place, isInPlace: true, state)
            try convert(conversion, place.written, snapshot, to: managed, managed?.key)
        }
    }

    /// Whom a file is given to: NULL is whom the calling thread's file tasks act for. Refused where a late write would label an
    /// account's data as personal, as `mam_protect` does.
    func owner(for argument: AccountArgument) throws(MAMError) -> Owner {
        let snapshot = try current()
        let named = orEffective(argument, snapshot)
        let argument = named == .notGiven ? .noUser : named
        _ = try sealer(for: argument, content: .file)
        return label(of: argument, snapshot)
    }

    /// The label of a new file of a name; nil where it gets none. Where nobody is managed nobody owns files, but for those in
    /// a directory that an account left behind.
    func label(
        ofNew argument: AccountArgument, at place: FilePlace, _ snapshot: Snapshot
    ) throws(MAMError) -> Owner? {
        guard argument != .notGiven else { return nil }
        if snapshot.isManaging { return try owner(for: argument) }
        return try owners.directoryOwner(of: place) == nil ? nil : label(of: argument, snapshot)
    }

    /// The label of files of a name, whether or not new data may be stored for it.
    func label(of argument: AccountArgument, _ snapshot: Snapshot) -> Owner {
        let account = argument.identity.flatMap { snapshot.find($0) }
        let isManaged = account?.policy != nil || account?.wasManaged == true
        let name = isManaged ? account?.accountId : argument.text
        let isBackedUp = answer(.backup, of: side(of: argument, snapshot), snapshot)
        return Owner(
            account: account?.row.id, name: Array((name ?? "").utf8), app: Array(settings.managedApp.utf8),
            isNotBackedUp: !isBackedUp)
    }

    /// `mam_file_info`: the JSON text. What a label that verifies says is remembered until the file changes.
    public func fileInfo(_ path: FilePath) throws(MAMError) -> [UInt8] {
        let generation = try current().generation
        if let known = ownerCache.answer(path, generation: generation) { return known }
        let moment = ownerCache.moment(path)
        let owner = try owners.find(path)
        let answer = json(owner).utf8
        if let moment, owner.isLabelled { ownerCache.keep(answer, moment, generation: generation) }
        return answer
    }

    private func json(_ owner: FileOwner) -> JSON {
        func text(_ bytes: [UInt8]?) -> JSON { bytes.map { .string(String(decoding: $0, as: UTF8.self)) } ?? .null }
        var members: [(key: String, value: JSON)] = [
            ("accountId", text(owner.account)), ("app", owner.app.isEmpty ? .null : text(owner.app)),
            ("known", .string(owner.source.rawValue)), ("disagreement", .optional(owner.disagreement?.rawValue)),
            ("encrypted", .bool(owner.isEncrypted)), ("authenticated", .bool(owner.isAuthenticated)),
        ]
        if let indexed = owner.indexed { members.append(("indexAccountId", text(indexed))) }
        return .object(members)
    }

    /// `mam_policy_can_receive_file`: a file whose owner is known for sure counts as that owner's, any other as unknown.
    public func receive(_ handle: PolicyHandle, file path: FilePath) throws(MAMError) -> Decision {
        let snapshot = try current(within: 1000)
        var owner = try sealer(ofFile: path, snapshot)
        let found = try owners.find(path)
        if owner == nil, let key = found.dataKey {
            owner = try dataKey(named: key.id, epoch: key.epoch, in: snapshot).map { Array($0.owner.accountId.utf8) }
        }
        if owner == nil, found.isAuthenticated, found.disagreement == nil { owner = found.account }
        let decision = handle.side(snapshot).receive(
            from: counterpart(try AccountArgument(bytes: owner), of: handle.subject, snapshot))
        guard decision.allowed, owner == nil else { return decision }
        return try refusalOfOwners(of: found, path, handle.subject, handle.side(snapshot), snapshot) ?? decision
    }

    /// Where attribute and index disagree nobody is the sender for sure, and each account that they name has to let the file go;
    /// nil where all do.
    func refusalOfOwners(
        of known: FileOwner, _ path: FilePath, _ receiver: PolicySubject, _ side: Party, _ snapshot: Snapshot
    ) throws(MAMError) -> Decision? {
        guard known.disagreement != nil else { return nil }
        for owner in try protectedOwners(of: known, path.text, snapshot) {
            let decision = side.receive(from: counterpart(try AccountArgument(owner.accountId), of: receiver, snapshot))
            if !decision.allowed { return decision }
        }
        return nil
    }

    /// Whom a container names that lies in a file, where a key that is here bears it out: one of this app's, or one that managed
    /// apps exchange files under. As `mam_file_import` has it, but the authority is not asked for keys.
    private func sealer(ofFile path: FilePath, _ snapshot: Snapshot) throws(MAMError) -> [UInt8]? {
        guard let source = try? SourceFile(path), case .container(let header) = source.form,
            header.algorithm == ContainerHeader.sealed
        else { return nil }
        var key = try dataKey(named: header.keyId, epoch: header.epoch, in: snapshot)?.key
        if key == nil, let account = snapshot.find(folded: Identity.fold(header.accountId)), account.policy != nil {
            key = try keptExchangeKey(named: header, of: account)
        }
        guard let key,
            source.beginning.withUnsafeBytes({ Container.verifySealedHeader($0, header: header, key: key) })
        else { return nil }
        return header.accountId
    }
}
