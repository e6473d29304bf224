import MAMPolicy
import MAMProtection
import MAMSupport

extension Session {
    /// `mam_file_export`: a copy of a file where its owner's policy lets it go, in the form that may be there.
    public func export(
        _ path: String, to location: SaveLocation, of other: AccountArgument, as target: String
    ) throws(MAMError) {
        let source = try SourceFile(path)
        try source.withBytes { (bytes) throws(MAMError) in
            let snapshot = try current()
            try checkKnown(other, snapshot)
            let content = try exchangedFile(bytes, path: path)
            let subject = PolicySubject(content.owner)
            let side = side(of: subject, snapshot)
            let decision = side.saveTo(location, counterpart(other, of: subject, snapshot))
            guard decision.allowed else { throw .refused(decision.reason, path: path) }
            let copy = try NewFile(target, mode: source.mode, state)
            switch side.exportForm {
            case .plain: try content.withPlain(bytes) { (plain) throws(MAMError) in try copy.write(plain) }
            case .forManagedApps:
                let sealer = try exportSealer(content.owner, snapshot)
                try content.withPlain(bytes) { (plain) throws(MAMError) in try copy.write(plain, sealedBy: sealer) }
            }
            try copy.place()
        }
    }

    /// What seals for every managed app of an account.
    private func exportSealer(_ owner: AccountArgument, _ snapshot: Snapshot) throws(MAMError) -> Sealer {
        guard case .named(let identity) = owner, let account = snapshot.find(identity) else {
            throw MAMError(.notEnrolled, "the owner of the file is not managed in this app any more")
        }
        if let problem = account.problem { throw problem }
        guard let own = account.sealer else { throw MAMError(.keyUnavailable, "the account has no data key") }
        let key = try newestExchangeKey(of: account)
        return Sealer(account: own.account, kind: .sealed(key), content: .file)
    }
}

extension NewFile {
    /// Write a container of some bytes.
    func write(_ plain: UnsafeRawBufferPointer, sealedBy sealer: Sealer) throws(MAMError) {
        guard let size = sealer.length(of: plain.count) else { throw .noMemory(plain.count) }
        let sealed = try ExchangedFile.newMemory(size)
        defer { ExchangedFile.free(sealed) }
        try sealer.seal(plain, into: sealed)
        try write(UnsafeRawBufferPointer(sealed))
    }
}
