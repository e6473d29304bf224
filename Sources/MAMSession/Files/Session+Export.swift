import MAMFiles
import MAMPolicy
import MAMProtection
import MAMSupport

extension Session {
    /// `mam_file_export`: a copy of a file where its owner's policy lets it go, in the form that may be there.
    public func export(
        _ path: FilePath, to location: SaveLocation, of other: AccountArgument, as target: FilePath
    ) throws(MAMError) {
        try owners.refuseState(target, argument: "target_path")
        let source = try SourceFile(path)
        // The app's own copy would be one that only other apps take in.
        guard !source.isThere(target) else {
            throw .file(.argument, target.text, "is the file itself", originalCode: 101, [("argument", "target_path")])
        }
        switch source.form {
        case .database, .databaseLog:
            throw Session.unsupported(
                path,
                "is of an encrypted SQLite database, whose key no other app has; make a plain copy with VACUUM INTO, seal that"
                    + " with mam_file_encrypt, and export it")
        case .plain, .sealed, .container: break
        }
        let shared = try sharedLocks()
        let snapshot = try current()
        try checkName(other, snapshot, late: "nothing is exported to it")
        let content = try exchanged(source)
        let known = try owners.find(source)
        if !content.isSealed { try checkReadable(known, path, snapshot) }
        let subject = PolicySubject(try owner(of: content, known, path, snapshot))
        let side = side(of: subject, snapshot)
        let decision = side.saveTo(location, counterpart(other, of: subject, snapshot))
        guard decision.allowed else { throw .refused(decision.reason, path.text) }
        let sealer = side.exportForm == .plain ? nil : try exportKey(subject, snapshot)
        try refuseForeignTarget(target, of: subject.names.compactMap { snapshot.find($0) }, "target_path", snapshot)
        let copy = try NewFile(target, mode: source.mode, state)
        if let (account, key) = sealer {
            try copy.write(containerFor: account, key: key) { (take) throws(MAMError) in
                try read(source, content, shared, take)
            }
        } else {
            try read(source, content, shared) { (bytes) throws(MAMError) in try copy.write(bytes) }
        }
        try copy.place()
    }

    /// The plain bytes of a file, as long as nobody interrupts.
    func read(
        _ source: SourceFile, _ content: ExchangedFile, _ shared: SharedLocks,
        _ take: (UnsafeRawBufferPointer) throws(MAMError) -> Void
    ) throws(MAMError) {
        let wait = interrupts.begin()
        try source.read(key: content.key, shared) { (bytes) throws(MAMError) in
            guard !wait.isOver else { throw .interrupted }
            try take(bytes)
        }
    }

    /// Whose a file is: the account that sealed it, else the one that attribute or index name, else the one that labelled it.
    private func owner(
        of content: ExchangedFile, _ known: FileOwner, _ path: FilePath, _ snapshot: Snapshot
    ) throws(MAMError) -> AccountArgument {
        if isBound(content, snapshot) { return content.owner }
        // Better none than one that may not be let go.
        guard known.disagreement != .owner, known.account != nil || known.disagreement == nil else {
            throw .file(
                .denied, path.text, "whose it is is not known for sure; say it with mam_file_protect",
                [("disagreement", .optional(known.disagreement?.rawValue))])
        }
        return known.account == nil ? content.owner : try AccountArgument(bytes: known.account)
    }

    /// Whether the content tells for good whose it is: it is sealed, or labelled for an account that is managed by now. Any
    /// other label was made for nobody managed, and a file can be given to somebody afterwards.
    func isBound(_ content: ExchangedFile, _ snapshot: Snapshot) -> Bool {
        if content.isSealed { return true }
        if case .unmanaged = side(of: content.owner, snapshot) { return false }
        return true
    }

    /// What seals for every managed app of an account.
    private func exportKey(
        _ subject: PolicySubject, _ snapshot: Snapshot
    ) throws(MAMError) -> (account: [UInt8], key: DataKey) {
        guard let identity = subject.one(snapshot)?.identity, let account = snapshot.find(identity) else {
            throw MAMError(.notEnrolled, "the owner of the file is not managed in this app any more")
        }
        if let problem = account.problem { throw problem }
        return (Array(account.accountId.utf8), try newestExchangeKey(of: account))
    }
}

extension MAMError {
    /// What policy does not let happen, and why.
    static func refused(_ reason: Reason?, _ path: String) -> MAMError {
        MAMError(
            .denied, "\(path): \(reason?.message ?? "policy refuses it")",
            [("path", .string(path)), ("reason", reason?.json ?? .null)])
    }
}
