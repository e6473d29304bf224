import MAMFiles
import MAMPolicy
import MAMProtection
import MAMSupport

extension Session {
    /// A refusal to take a file in.
    private struct RefusedImport {
        let error: MAMError
        /// The account that was to take it in.
        let receiver: AccountArgument
        /// The file's own account, where that may.
        let owner: AccountArgument?
    }

    /// `mam_file_import`. `mayAsk`: this thread may wait for the host to answer.
    public func receive(
        _ path: FilePath, for argument: AccountArgument, as target: FilePath, mayAsk: Bool
    ) throws(MAMError) {
        guard let refused = try takeIn(path, for: argument, as: target) else { return }
        guard mayAsk, hasHost, let owner = refused.owner else { throw refused.error }
        try switchWindow(to: owner, from: refused.receiver, or: refused.error)
        if let again = try takeIn(path, for: owner, as: target) { throw again.error }
    }

    /// Is it encrypted, then decrypt to a copy; may its new owner receive it; the copy is that one's. The result is nil where
    /// the copy is there.
    private func takeIn(
        _ path: FilePath, for argument: AccountArgument, as target: FilePath
    ) throws(MAMError) -> RefusedImport? {
        try owners.refuseState(target, argument: "target_path")
        let source = try SourceFile(path)
        let shared = try sharedLocks()
        let snapshot = try current()
        let content = try exchanged(source)
        let known = try owners.find(source)
        if !content.isSealed { try checkReadable(known, path, snapshot) }
        let sender = try sender(of: content, known, snapshot)
        if let owner = sender.identity.flatMap({ snapshot.find($0) }), owner.hasLeft {
            throw .file(
                .denied, path.text,
                "is data of an account that was unenrolled; it is readable (mam_file_decrypt_copy), and nobody else's to take in",
                [("owner", .string(owner.accountId))])
        }
        let named = orEffective(argument, snapshot)
        let asked = named == .notGiven ? .noUser : named
        try checkName(asked, snapshot, late: Session.notPersonal)
        let receiver = receiver(asked, of: sender, snapshot)
        let subject = PolicySubject(receiver)
        let side = side(of: subject, snapshot)
        let decision = side.receive(from: counterpart(sender, of: subject, snapshot))
        guard decision.allowed else {
            return RefusedImport(
                error: .refused(decision.reason, path.text), receiver: receiver, owner: taker(of: sender, snapshot))
        }
        if !content.isSealed, let refused = try refusalOfOwners(of: known, path, subject, side, snapshot) {
            throw .refused(refused.reason, path.text)
        }
        // What came sealed stays so, and what a policy makes an account's is protected for it.
        let isSealed = side.encryptsFiles || content.isSealed || receiver != asked
        let sealer = isSealed ? try receiverKey(receiver, snapshot) : nil
        let owner = try label(ofNew: receiver, at: try FilePlace(target), snapshot)
        let own = receiver.identity.flatMap { snapshot.find($0) }
        try refuseForeignTarget(target, of: own.map { [$0] } ?? [], "target_path", snapshot)
        let copy = try NewFile(target, mode: source.mode, state)
        if let (account, key) = sealer {
            try copy.write(sealedFor: account, key: key) { (take) throws(MAMError) in
                try read(source, content, shared, take)
            }
        } else {
            try read(source, content, shared) { (bytes) throws(MAMError) in try copy.write(bytes) }
        }
        // Before it shows, and again when it has its name.
        if let owner { try owners.label(created: copy.number, target, owner) }
        try copy.place()
        if let owner { try owners.set(created: copy.number, target, to: owner) }
        return nil
    }

    /// The account that a file is of, where the app has several identities and that account may take it in.
    private func taker(of sender: AccountArgument, _ snapshot: Snapshot) -> AccountArgument? {
        guard snapshot.settings.bool(SettingKey.multiIdentity) else { return nil }
        let owner = snapshot.stable(sender == .notGiven ? .noUser : sender)
        guard (try? checkName(owner, snapshot, late: Session.notPersonal)) != nil else { return nil }
        let subject = PolicySubject(receiver(owner, of: sender, snapshot))
        return side(of: subject, snapshot).receive(from: counterpart(sender, of: subject, snapshot)).allowed
            ? owner : nil
    }

    /// Whose a file is that comes in: only what verifies counts, as in `mam_policy_can_receive_file`.
    private func sender(
        of content: ExchangedFile, _ known: FileOwner, _ snapshot: Snapshot
    ) throws(MAMError) -> AccountArgument {
        guard !isBound(content, snapshot), known.isAuthenticated, known.disagreement == nil, let name = known.account
        else { return content.owner }
        return try AccountArgument(bytes: name)
    }

    /// Whose the copy is to be: of a file of nobody known, that is for nobody managed, the first account whose policy takes
    /// such files.
    private func receiver(
        _ argument: AccountArgument, of sender: AccountArgument, _ snapshot: Snapshot
    ) -> AccountArgument {
        guard case .notGiven = sender, case .unmanaged = side(of: argument, snapshot),
            let taker = snapshot.accounts.first(where: { $0.party.takesUnknownFiles }),
            let identity = try? Identity(taker.accountId)
        else { return argument }
        return .named(identity)
    }

    /// What seals the copy; nil where its owner is nobody managed.
    private func receiverKey(
        _ receiver: AccountArgument, _ snapshot: Snapshot
    ) throws(MAMError) -> (account: [UInt8], key: DataKey)? {
        guard case .named(let identity) = receiver, let account = snapshot.find(identity), account.policy != nil else {
            return nil
        }
        try checkUsable(account)
        guard let key = account.key else { throw Session.hasNoKey }
        return (Array(account.accountId.utf8), key)
    }
}
