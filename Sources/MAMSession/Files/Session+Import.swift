import MAMPolicy
import MAMProtection
import MAMSupport

extension Session {
    /// `mam_file_import`: is it encrypted, then decrypt to a copy; may its new owner receive it; the copy is that one's.
    public func receive(_ path: String, for argument: AccountArgument, as target: String) throws(MAMError) {
        let source = try SourceFile(path)
        try source.withBytes { (bytes) throws(MAMError) in
            let snapshot = try current()
            try checkKnown(argument, snapshot)
            let content = try exchangedFile(bytes, path: path)
            let asked = argument == .notGiven ? fileIdentity(snapshot) : argument
            let receiver = receiver(asked, of: content, snapshot)
            let subject = PolicySubject(receiver)
            let side = side(of: subject, snapshot)
            let decision = side.receive(from: counterpart(content.owner, of: subject, snapshot))
            guard decision.allowed else { throw .refused(decision.reason, path: path) }
            // What came sealed stays so, and what a policy makes an account's is protected for it.
            let isSealed = side.encryptsFiles || content.isSealed || receiver != asked
            let sealer = isSealed ? try receiverSealer(receiver, snapshot) : nil
            let copy = try NewFile(target, mode: source.mode, state)
            try content.withPlain(bytes) { (plain) throws(MAMError) in
                if let sealer { try copy.write(plain, sealedBy: sealer) } else { try copy.write(plain) }
            }
            try copy.place()
        }
    }

    /// Whose files are that the calling thread makes.
    private func fileIdentity(_ snapshot: Snapshot) -> AccountArgument {
        effective(.file, .standard, snapshot).members?.first ?? .noUser
    }

    /// Whose the copy is to be: of a file of nobody known, that is for nobody managed, the first account whose policy takes
    /// such files.
    private func receiver(
        _ argument: AccountArgument, of content: ExchangedFile, _ snapshot: Snapshot
    ) -> AccountArgument {
        guard case .notGiven = content.owner, case .unmanaged = side(of: argument, snapshot),
            let taker = snapshot.accounts.first(where: { $0.party.takesUnknownFiles }),
            let identity = try? Identity(taker.accountId)
        else { return argument }
        return .named(identity)
    }

    /// What seals the copy; nil where its owner is nobody managed.
    private func receiverSealer(_ receiver: AccountArgument, _ snapshot: Snapshot) throws(MAMError) -> Sealer? {
        guard case .named(let identity) = receiver, let account = snapshot.find(identity), account.policy != nil else {
            return nil
        }
        if let problem = account.problem { throw problem }
        try checkUnguarded(account)
        guard let own = account.sealer else { throw MAMError(.keyUnavailable, "the account has no data key") }
        return Sealer(account: own.account, kind: own.kind, content: .file)
    }
}
