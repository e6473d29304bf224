import MAMFiles
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

extension Session {
    /// `mam_file_open`: what is there, whatever it is sealed for.
    public func openFile(
        _ path: FilePath, _ flags: OpenFlags, _ newToken: (FileHandle) throws(MAMError) -> UInt
    ) throws(MAMError) -> UInt {
        guard !flags.makes else {
            throw .argument("flags", "has O_CREAT or O_EXCL; mam_file_create makes files", originalCode: 101)
        }
        guard !flags.truncates else { return try createFile(path, flags, mode: nil, for: .notGiven, newToken) }
        let snapshot = try current()
        let place = try FilePlace(path)
        if flags.writes { try owners.refuseState(place) }
        let found = try place.find(flags)
        let (key, owner) = try fileKey(found.header, path.text, snapshot)
        let holders = found.header == nil ? try holders(of: found, at: place, snapshot) : [owner].compactMap { $0 }
        if flags.reads { for holder in holders { try checkUnguarded(holder) } }
        if flags.writes, found.header == nil, holders.contains(where: \.hasLeft) {
            throw .file(
                .notEnrolled, path.text,
                "is plain, and its account was unenrolled: it is read, and nothing is written to it until the account is"
                    + " registered again")
        }
        return try keep(try found.open(key: key, try sharedLocks()), holders, snapshot, newToken)
    }

    /// `mam_file_create`: for an account, or for whom the thread works on files. nil: only what is there.
    public func createFile(
        _ path: FilePath, _ flags: OpenFlags, mode: UInt32?, for argument: AccountArgument,
        _ newToken: (FileHandle) throws(MAMError) -> UInt
    ) throws(MAMError) -> UInt {
        guard flags.writes else { throw .argument("flags", "is for reading alone", originalCode: 101) }
        let snapshot = try current()
        let place = try FilePlace(path)
        try owners.refuseState(place)
        let named = orEffective(argument, snapshot)
        let shared = try sharedLocks()
        var account = try managedOwner(of: named, snapshot, late: Session.notPersonal)
        let former = try owners.findIfThere(place)
        if argument != .notGiven, let former {
            try checkTransfer(of: former, at: place.shown, to: named, snapshot, isUnmanaging: false)
        }
        // Without an owner of its own a file inherits its directory's.
        if named == .notGiven { account = try directoryOwner(of: place, snapshot) }
        let key = account?.ownParty.encryptsFiles ?? false ? account?.key : nil
        let name = Array((account?.accountId ?? "").utf8)
        let label = try label(ofNew: named, at: place, snapshot)
        let made =
            if let mode {
                try place.make(flags, mode: mode, account: name, key: key, shared) { (descriptor) throws(MAMError) in
                    if let label { try owners.label(created: descriptor, path, label) }
                }
            } else {
                try place.makeAnew(flags, account: name, key: key, shared)
            }
        if let label {
            try owners.set(created: made.number, path, to: label)
        } else if let former, former.hasOwnLabel {
            try owners.clear(made.number, path)
            warnOfFormerOwner(former, at: place.shown, now: account)
        }
        let holders = if let account { [account] } else { try holders(of: made, at: place, snapshot) }
        return try keep(try made.open(key: key, shared), holders, snapshot, newToken)
    }

    /// The managed account that owns the directory of a place; nil where none does.
    private func directoryOwner(of place: FilePlace, _ snapshot: Snapshot) throws(MAMError) -> Account? {
        guard let known = try owners.directoryOwner(of: place) else { return nil }
        guard let holders = try holders(of: known, snapshot), !holders.contains(where: \.hasLeft) else {
            throw .file(
                .notEnrolled, place.shown,
                "is in a directory of an account that was wiped or unenrolled; name an account, or give the directory to one"
                    + " with mam_file_protect")
        }
        return holders.first { $0.policy != nil }
    }

    /// A file that was cut to nothing while nobody acted has lost its owner.
    private func warnOfFormerOwner(_ former: FileOwner, at path: String, now account: Account?) {
        guard let name = former.account, !name.isEmpty else { return }
        let text = String(decoding: name, as: UTF8.self)
        if let account, account.names.contains(Identity.fold(name)) { return }
        warn(
            "a file was cut to nothing while no identity was set, and has lost its owner",
            [
                ("path", .string(path)), ("formerOwner", .string(text)), ("owner", .optional(account?.accountId)),
            ])
    }

    /// Whom files are made for where nobody is named: whom the thread works on files for.
    func orEffective(_ argument: AccountArgument, _ snapshot: Snapshot) -> AccountArgument {
        guard case .notGiven = argument else { return argument }
        return effective(.file, .standard, snapshot).members?.first ?? .notGiven
    }

    static let notPersonal = "its files are not made as personal ones"

    private func keep(
        _ file: RandomAccessFile, _ owners: [Account], _ snapshot: Snapshot,
        _ newToken: (FileHandle) throws(MAMError) -> UInt
    ) throws(MAMError) -> UInt {
        let handle = FileHandle(session: self, file: file, owners: owners, snapshot)
        let token = try newToken(handle)
        files.add(handle, token)
        // Wiped meanwhile: it answers closed all the same, and has no key any more.
        try? handle.follow(snapshots.latest)
        return token
    }

    /// `mam_file_close`: forget it.
    public func closed(file token: UInt) { files.remove(token) }

    /// What opens a sealed file, and whose it is; nil where it is not sealed.
    func fileKey(
        _ header: SealedHeader?, _ path: String, _ snapshot: Snapshot
    ) throws(MAMError) -> (key: DataKey?, owner: Account?) {
        guard let header else { return (nil, nil) }
        if let (key, owner) = try dataKey(named: header.keyId, epoch: header.epoch, in: snapshot) {
            return (key, owner)
        }
        // It may have been sealed since, under a key that is newer than the snapshot.
        let latest = try current()
        if latest.generation != snapshot.generation,
            let (key, owner) = try dataKey(named: header.keyId, epoch: header.epoch, in: latest)
        {
            return (key, owner)
        }
        let name = String(decoding: header.accountId, as: UTF8.self)
        try checkOpens(header.accountId, latest)
        let key = hexadecimal(header.keyId)
        throw MAMError(
            .keyUnavailable,
            "\(path): is sealed for \(name) under key \(key), which is not here: the account was wiped, or the file is another app's or computer's",
            [
                ("path", .string(path)), ("accountId", .string(name)), ("keyId", .string(key)), ("originalCode", 103),
            ])
    }

    /// What keeps this and other processes apart; shared from the first file on.
    func sharedLocks() throws(MAMError) -> SharedLocks { try SharedLocks(words: state.words) }
}
