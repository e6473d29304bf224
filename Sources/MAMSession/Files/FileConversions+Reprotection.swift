import MAMFiles
import MAMProtection
import MAMState
import MAMSupport

extension FileConversions {
    /// `mam_file_reprotect`: seals a file under the newest key of its account; returns whether it was under a former one.
    public func reprotect(_ path: FilePath) throws(MAMError) -> Bool {
        let source = try SourceFile(path)
        let snapshot = try current()
        if case .database = source.kind { return try databases.reprotect(path, snapshot) }
        guard let (id, epoch) = source.dataKey,
            let (key, account) = try keys.dataKey(named: id, epoch: epoch, in: snapshot),
            account.policy != nil, let newest = account.key, newest.epoch != key.epoch
        else { return false }
        try account.checkUsable()
        try account.checkReadable(screen)
        let shared = try SharedLocks(words: state.words)
        let owner = try owner(of: path, account)
        let name = Array(account.accountId.utf8)
        if case .sealed = source.kind {
            let wait = interrupts.beginWait()
            let conversion = try FileConversion(try FileLocation(path), isInPlace: true, state)
            // The key was looked up before the file was locked.
            guard conversion.file.header?.names(key) == true else {
                throw .file(.busy, path.text, "was given another form meanwhile; try again")
            }
            try conversion.convert(openedBy: .sealed(key), to: name, sealedBy: newest) { () throws(MAMError) in
                guard !wait.isInterrupted else { throw .interrupted }
            }
        } else {
            let copy = try NewFile(replacing: source, state)
            try copy.write(containerFor: name, content: source.content, key: newest) { (take) throws(MAMError) in
                try read(source, ExchangedFile(owner: .notGiven, key: .sealed(key)), shared, take)
            }
            try copy.commit()
        }
        if let owner { try owners.set(path, to: owner, isInterrupted: { false }) }
        return true
    }

    /// Returns the owner to enter into the index, which does not know the new file; nil where the owner is another account.
    private func owner(of path: FilePath, _ account: Account) throws(MAMError) -> Owner? {
        let known = try owners.find(path)
        guard known.source == .both || known.source == .index || known.source == .attribute, known.disagreement == nil,
            let name = known.account, (account.names + account.formerNames).contains(Identity.fold(name))
        else { return nil }
        return try files.owner(for: try AccountArgument(stored: account.accountId))
    }
}
