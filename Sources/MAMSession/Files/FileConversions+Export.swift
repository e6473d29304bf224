import MAMFiles
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

extension FileConversions {
    /// `mam_file_export`: copies a file where its owner's policy allows it, in the form that the policy requires of exports.
    public func export(
        _ path: FilePath, to location: SaveLocation, of other: AccountArgument, as target: FilePath
    ) throws(MAMError) {
        try owners.refuseLibraryFiles(target, argument: "target_path")
        let source = try SourceFile(path)
        // After an export in place, this app could not use the file itself.
        guard !source.isThere(target) else {
            throw .file(
                .argument, target.text, "is the file itself", originalCode: .invalidArguments,
                [("argument", "target_path")], for: .errorPlace)
        }
        switch source.kind {
        case .database, .databaseLog:
            throw MAMError.unsupportedFile(
                path,
                "is of an encrypted SQLite database, whose key no other app has; make a plain copy with VACUUM INTO 'file:COPY?vfs=unix', seal that"
                    + " with mam_file_encrypt, and export it")
        case .plain, .sealed, .container: break
        }
        let shared = try SharedLocks(words: state.words)
        let snapshot = try current()
        try snapshot.checkName(other, refusalClause: "nothing is exported to it")
        let content = try exchangedFile(source)
        let known = try owners.find(source)
        if !content.isSealed { try snapshot.checkReadable(known, path, screen) }
        let subject = PolicySubject(try snapshot.owner(of: content, known, path))
        let others = try snapshot.accounts(owning: known) ?? []
        try snapshot.checkReleasable(others, named: subject.names, path.text)
        let policy = snapshot.ownPolicy(of: subject)
        let decision = policy.saveTo(location, snapshot.peer(other, of: subject))
        guard decision.allowed else {
            let refusal = MAMError.refused(decision.reason, path.text, in: settings.language)
            throw content.isSealed ? refusal : Files.explained(refusal, known)
        }
        let sealer = policy.exportForm == .plain ? nil : try exportKey(subject, snapshot)
        try files.checkTarget(target, of: subject.names.compactMap { snapshot.find($0) }, "target_path", snapshot)
        let copy = try NewFile(target, mode: source.mode, state)
        if let (account, key) = sealer {
            try copy.write(containerFor: account, key: key) { (take) throws(MAMError) in
                try read(source, content, shared, take)
            }
        } else {
            try read(source, content, shared) { (bytes) throws(MAMError) in try copy.write(bytes) }
        }
        try copy.commit()
    }

    /// Passes the plain bytes of a file to `take`, until the call is interrupted.
    func read(
        _ source: SourceFile, _ content: ExchangedFile, _ shared: SharedLocks,
        _ take: @escaping (UnsafeRawBufferPointer) throws(MAMError) -> Void
    ) throws(MAMError) {
        let wait = interrupts.beginWait()
        try source.read(key: content.key, shared) { (bytes) throws(MAMError) in
            guard !wait.isInterrupted else { throw .interrupted }
            try take(bytes)
        }
    }

    /// Returns the account and the key that every managed app of the account can obtain.
    private func exportKey(
        _ subject: PolicySubject, _ snapshot: Snapshot
    ) throws(MAMError) -> (account: [UInt8], key: DataKey) {
        guard let identity = subject.one(snapshot)?.identity, let account = snapshot.find(identity) else {
            throw MAMError(
                .notEnrolled, "the owner of the file is not managed in this app any more", for: .errorAccountRemoved)
        }
        if let problem = account.problem { throw problem }
        return (Array(account.accountId.utf8), try keys.newestExchangeKey(of: account))
    }
}
