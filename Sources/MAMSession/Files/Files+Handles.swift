import MAMFiles
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

extension Files {
    /// `mam_file_open`: opens a file, whichever account it is sealed for.
    public func open(
        _ path: FilePath, _ flags: OpenFlags, _ newToken: (FileHandle) throws(MAMError) -> UInt
    ) throws(MAMError) -> UInt {
        guard !flags.makes else {
            throw .argument(
                "flags", "has O_CREAT or O_EXCL; mam_file_create makes files", originalCode: .invalidArguments)
        }
        guard !flags.truncates else { return try create(path, flags, mode: nil, for: .notGiven, newToken) }
        let snapshot = try current()
        let location = try FileLocation(path)
        if flags.writes { try owners.refuseLibraryFiles(location) }
        let found = try findSealed(location, flags, snapshot)
        let (key, owner) = try self.key(of: found.header, path.text, snapshot)
        let accounts = found.header == nil ? try accounts(of: found, at: location, snapshot) : [owner].compactMap { $0 }
        if flags.reads { for account in accounts { try account.checkReadable(screen) } }
        try checkSealed(found, flags, path, accounts)
        if flags.writes, found.header == nil, accounts.contains(where: \.hasLeft) {
            throw .file(
                .notEnrolled, path.text,
                "is plain, and its account was unenrolled: it is read, and nothing is written to it until the account is"
                    + " registered again", for: .errorAccountRemoved)
        }
        if flags.writes, found.header == nil { found.becomePlain() }
        return try register(try found.open(key: key, try SharedLocks(words: state.words)), accounts, snapshot, newToken)
    }

    /// `mam_file_create`: creates a file for an account, by default for the identity for which the thread works on files. Without a
    /// mode, truncates an existing file instead.
    public func create(
        _ path: FilePath, _ flags: OpenFlags, mode: UInt32?, for argument: AccountArgument,
        _ newToken: (FileHandle) throws(MAMError) -> UInt
    ) throws(MAMError) -> UInt {
        guard flags.writes else { throw .argument("flags", "is for reading alone", originalCode: .invalidArguments) }
        let snapshot = try current()
        let location = try FileLocation(path)
        try owners.refuseLibraryFiles(location)
        let named = givenOrEffective(argument, snapshot)
        let shared = try SharedLocks(words: state.words)
        var account = try snapshot.managedFileOwner(of: named)
        let former = try owners.findIfThere(location)
        // A backup of the state may have the key that this one lacks, so the content is not overwritten.
        if !flags.isExclusive { _ = try key(of: former?.sealedHeader, location.displayPath, snapshot) }
        if let former, argument != .notGiven || snapshot.isOfUnknownAccount(former) {
            try checkTransfer(of: former, at: location.displayPath, to: named, snapshot, isUnmanaging: false)
        }
        // Without an explicit owner, a file inherits its directory's.
        if named == .notGiven { account = try directoryOwner(of: location, snapshot) }
        let key = account?.ownAccountPolicy.encryptsFiles ?? false ? account?.key : nil
        let name = Array((account?.accountId ?? "").utf8)
        let label = try label(ofNew: named, at: location, isGiven: true, snapshot)
        let made =
            if let mode {
                try location.create(flags, mode: mode, account: name, key: key, shared) {
                    (descriptor) throws(MAMError) in
                    if let label { try owners.label(created: descriptor, path, label) }
                }
            } else {
                try location.truncate(flags, account: name, key: key, shared)
            }
        if let label {
            try owners.set(created: made.number, path, to: label)
        } else if let former, former.hasOwnOwner {
            try owners.clear(made.number, path)
            warnOfFormerOwner(former, at: location.displayPath, now: account)
        }
        let accounts = if let account { [account] } else { try accounts(of: made, at: location, snapshot) }
        return try register(try made.open(key: key, shared), accounts, snapshot, newToken)
    }

    /// Returns the managed account that owns the directory of a file; nil where none does.
    private func directoryOwner(of location: FileLocation, _ snapshot: Snapshot) throws(MAMError) -> Account? {
        guard let known = try owners.directoryOwner(of: location) else { return nil }
        guard let accounts = try snapshot.accounts(owning: known), !accounts.contains(where: \.hasLeft) else {
            throw snapshot.accountHasLeft(
                known, location.displayPath, "name an account, or give the directory to one with mam_file_protect")
        }
        return accounts.first { $0.policy != nil }
    }

    /// Warns that a file was truncated while no identity was set, and has lost its owner.
    private func warnOfFormerOwner(_ former: FileOwnership, at path: String, now account: Account?) {
        guard let name = former.account, !name.isEmpty else { return }
        let text = String(decoding: name, as: UTF8.self)
        if let account, account.names.contains(Identity.fold(name)) { return }
        events.warn(
            "a file was cut to nothing while no identity was set, and has lost its owner",
            [
                ("path", .string(path)), ("formerOwner", .string(text)), ("owner", .optional(account?.accountId)),
            ])
    }

    /// Adds an open file to the table; returns its token.
    private func register(
        _ file: RandomAccessFile, _ owners: [Account], _ snapshot: Snapshot,
        _ newToken: (FileHandle) throws(MAMError) -> UInt
    ) throws(MAMError) -> UInt {
        let handle = FileHandle(self, file, owners: owners, snapshot)
        let token = try newToken(handle)
        add(handle, token)
        // The account may have been wiped since the snapshot.
        try? handle.dropKeysOfMissingAccount(snapshots.latest)
        return token
    }

    /// Returns the managed accounts that own a plain file.
    func accounts(
        of file: FoundFile, at location: FileLocation, _ snapshot: Snapshot
    ) throws(MAMError) -> [Account] {
        let known = try owners.find(file, at: location)
        guard let accounts = try snapshot.accounts(owning: known) else {
            throw snapshot.accountHasLeft(known, location.displayPath)
        }
        return accounts
    }
}
