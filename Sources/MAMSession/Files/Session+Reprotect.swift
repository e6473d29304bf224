import MAMFiles
import MAMProtection
import MAMSupport

/// Files that move to the newest epoch of their owner's key.
extension Session {
    /// `mam_file_reprotect`: seal a file anew where a former key of a managed account's seals it; whether that was done.
    public func reprotectFile(_ path: FilePath) throws(MAMError) -> Bool {
        let source = try SourceFile(path)
        let snapshot = try current()
        if case .database = source.form { return try reprotectDatabase(path, snapshot) }
        guard let (id, epoch) = source.dataKey,
            let (key, account) = try dataKey(named: id, epoch: epoch, in: snapshot),
            account.policy != nil, let newest = account.key, newest.epoch != key.epoch
        else { return false }
        try checkUsable(account)
        let shared = try sharedLocks()
        let owner = try owner(of: path, account)
        let name = Array(account.accountId.utf8)
        if case .sealed = source.form {
            let wait = interrupts.begin()
            let conversion = try Conversion(try FilePlace(path), isInPlace: true, state)
            // Nobody held it yet when its key was looked for.
            guard conversion.file.header?.names(key) == true else {
                throw .file(.busy, path.text, "was given another form meanwhile; try again")
            }
            try conversion.convert(openedBy: .sealed(key), to: name, sealedBy: newest) { () throws(MAMError) in
                guard !wait.isOver else { throw .interrupted }
            }
        } else {
            let copy = try NewFile(replacing: source, state)
            try copy.write(containerFor: name, content: source.content, key: newest) { (take) throws(MAMError) in
                try read(source, ExchangedFile(owner: .notGiven, key: .sealed(key)), shared, take)
            }
            try copy.place()
        }
        if let owner { try owners.set(path, to: owner) { false } }
        return true
    }

    /// Whom attribute and index give the file, where that is its account: the index has to learn of the new file.
    private func owner(of path: FilePath, _ account: Account) throws(MAMError) -> Owner? {
        let known = try owners.find(path)
        guard known.source == .both || known.source == .index || known.source == .attribute, known.disagreement == nil,
            let name = known.account, (account.names + account.formerNames).contains(Identity.fold(name))
        else { return nil }
        return try owner(for: try AccountArgument(account.accountId))
    }
}
