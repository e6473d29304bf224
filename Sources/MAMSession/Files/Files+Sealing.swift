import MAMFiles
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

/// Files that are opened for writing. Where the policy of a file's account requires encryption, nothing is written to it in the
/// clear: a file that is plain, because another program made or emptied it or the policy is newer, is sealed first.
extension Files {
    /// Opens the file at a location, which is sealed first where it must be before it is written to.
    func findSealed(_ location: FileLocation, _ flags: OpenFlags, _ snapshot: Snapshot) throws(MAMError) -> FoundFile {
        var found: FoundFile? = try location.find(flags)
        if flags.writes, found?.header == nil, snapshot.accounts.contains(where: \.mustEncrypt) {
            found = nil  // a writer's lock is in the way of the conversion
            try sealBeforeWriting(location, flags, snapshot)
        }
        return if let found { found } else { try location.find(flags) }
    }

    private func sealBeforeWriting(
        _ location: FileLocation, _ flags: OpenFlags, _ snapshot: Snapshot
    ) throws(MAMError) {
        // Another opener, here or in another process, may be looking at it, or sealing it.
        for attempt in 1... {
            // Readers keep no lock, which would be in the way of the conversion.
            let found = try location.find(.reading)
            guard found.header == nil, let owner = try sealer(of: found, at: location, flags, snapshot) else { return }
            do throws(MAMError) { return try seal(found, at: location, flags, for: owner, snapshot) } catch {
                guard error.code == .busy, attempt < 100 else { throw error }
            }
        }
    }

    /// Fails where a found file is plain, and must not be: it was replaced since.
    func checkSealed(_ found: FoundFile, _ flags: OpenFlags, _ path: FilePath, _ owners: [Account]) throws(MAMError) {
        guard flags.writes, found.header == nil, owners.contains(where: \.mustEncrypt) else { return }
        throw .file(.busy, path.text, "was replaced meanwhile by another program; try again")
    }

    /// Returns the account for which a file that is not sealed must be before it is written to.
    private func sealer(
        of found: FoundFile, at location: FileLocation, _ flags: OpenFlags, _ snapshot: Snapshot
    ) throws(MAMError) -> Account? {
        let owners = try accounts(of: found, at: location, snapshot)
        guard let owner = owners.first(where: \.mustEncrypt) else { return nil }
        if flags.reads { for account in owners { try account.checkReadable(screen) } }
        guard owners.allSatisfy({ $0 === owner }) else {
            throw .file(
                .denied, location.displayPath,
                "is plain, and its attribute and the index name different accounts; mam_file_protect says whose it is",
                for: .errorOtherAccount)
        }
        return owner
    }

    private func seal(
        _ found: FoundFile, at location: FileLocation, _ flags: OpenFlags, for owner: Account, _ snapshot: Snapshot
    ) throws(MAMError) {
        guard let key = owner.key else { throw Account.noKeyError }
        let kind = try found.kind()
        // Another opener may have sealed it in place.
        if case .sealed = kind { return }
        guard case .plain = kind, !location.isDatabase(), !location.isDatabaseSidecar() else {
            throw MAMError.unsupportedFile(
                location.givenPath,
                "is no sealed file, and its account's policy requires encryption: SQLite writes databases and what is beside them"
                    + " (mam_sqlite_encrypt), and a container is written whole; mam_file_encrypt seals any other file")
        }
        let name = Array(owner.accountId.utf8)
        if try location.sealEmpty(flags, account: name, key: key) { return }
        let known = try owners.find(location.givenPath)
        let conversion = try FileConversion(location, isInPlace: true, state)
        guard case .plain = conversion.kind else { return }
        try convert(conversion, location.givenPath, snapshot, to: owner, key)
        // The index does not know the new file. A file without a label stays its directory's.
        if known.hasOwnOwner {
            let label = snapshot.label(of: try AccountArgument(stored: owner.accountId))
            try owners.set(location.givenPath, to: label, isInterrupted: { false })
        }
    }
}

extension Account {
    /// Whether its policy requires encryption of what is stored for it.
    fileprivate var mustEncrypt: Bool { policy != nil && ownAccountPolicy.encryptsFiles }
}
