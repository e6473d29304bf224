import Glibc
import MAMValues

/// The state directory, looked at from outside: nothing is opened.
struct StateCheck {
    let directory: String
    let group: String
    private let options: String
    private(set) var findings: [Finding] = []
    /// The kind of the file system, as in /proc/self/mountinfo.
    private(set) var fileSystem: String?
    private(set) var freeBytes: Int64?

    static let leastFree: Int64 = 16 << 20
    /// With less a check-in is not stored: the database's log and the reserve for wipes take as much.
    static let leastForCheckIn: Int64 = 1 << 20
    /// The kinds on which libmam keeps no state.
    private static let network = [
        "nfs", "nfs4", "cifs", "smb3", "9p", "afs", "ceph", "lustre", "coda", "ncpfs", "ocfs2", "gfs2", "orangefs",
        "gpfs",
    ]

    /// Files of a group that libmam opens as files and nothing else.
    private static let regular = ["state.db", "state.db-wal", "state.db-shm", "root.key", "generation"]

    private var path: String { "\(directory)/\(group)" }
    /// Whether a program was killed while it wiped an account. The next one that opens the state carries the wipe on.
    private(set) var hasInterruptedWipe = false
    /// Whether opening the state would change nothing.
    var mayBeOpened: Bool { exists == true && !hasInterruptedWipe && !findings.contains { $0.severity == .critical } }
    /// Whether the app has a state; nil where this user may not look.
    var exists: Bool? {
        if attributes("\(path)/state.db") != nil { return true }
        return errno == EACCES ? nil : false
    }

    /// `options` are words that select the session.
    init(directory: String, group: String, options: String) {
        (self.directory, self.group, self.options) = (directory, group, options)
        examine()
    }

    private mutating func examine() {
        checkFileSystem()
        guard let root = attributes(directory, follows: true) else {
            return errno == EACCES ? addClosed(StateCheck.firstPresent(above: directory)) : checkCanBeMade()
        }
        guard isDirectory(root, directory) else { return }
        if let owner = StateCheck.owner(directory, path) { return addForeign(owner) }
        if attributes(path) == nil, errno == EACCES { return addClosed(directory) }
        if root.st_mode & 0o022 != 0, root.st_mode & S_ISVTX == 0 {
            add(directory, "other users could replace what is in it", "chmod go-w")
        }
        guard let own = attributes(path), isDirectory(own, path) else { return }
        if own.st_uid != geteuid() { add(path, "belongs to user \(own.st_uid)", giveBack(path)) }
        if own.st_mode & 0o077 != 0 { add(path, "others may use it", "chmod 700") }
        if own.st_mode & 0o700 != 0o700 { add(path, "its owner may not use it", "chmod 700") }
        checkShares()
        for file in StateCheck.names(path) + StateCheck.names("\(path)/shares").map({ "shares/\($0)" }) {
            checkFile("\(path)/\(file)")
        }
        checkDatabase()
        checkWipes()
        checkLeases()
    }

    /// Others cannot reach the directory of the shares, which lies in a closed one.
    private mutating func checkShares() {
        let shares = "\(path)/shares"
        guard let facts = attributes(shares), isDirectory(facts, shares) else { return }
        if facts.st_uid != geteuid() { add(shares, "belongs to user \(facts.st_uid)", giveBack(shares)) }
        if facts.st_mode & 0o700 != 0o700 { add(shares, "its owner may not use it", "chmod 700") }
    }

    /// The user whose state it is, where that is another one, who looks at it: not root, who may have made a directory for this user.
    private static func owner(_ directory: String, _ path: String) -> uid_t? {
        func other(_ place: String) -> uid_t? {
            attributes(place, follows: true).flatMap { [0, geteuid()].contains($0.st_uid) ? nil : $0.st_uid }
        }
        if let owner = other(directory) { return owner }
        guard let owner = other(path) else { return nil }
        // A directory alone may have been given away by mistake.
        let database = attributes("\(path)/state.db")
        return database == nil && errno == EACCES || database?.st_uid == owner ? owner : nil
    }

    private mutating func addForeign(_ owner: uid_t) {
        let name = getpwuid(owner)?.pointee.pw_name.map { String(cString: $0) }
        let user = Finding.quoted(name ?? "#\(owner)")
        let other = geteuid() == 0 && name != nil ? "runuser -u \(user) --" : "sudo -u \(user)"
        let state = options.contains(" --state ") ? "" : " --state \(Finding.quoted(directory))"
        findings.append(
            Finding(
                check: "state", severity: .critical,
                message: "is the state of user \(owner), who looks at it and uses it alone",
                subject: directory, command: "\(other) mamctl doctor\(options)\(state)"))
    }

    /// The command that gives a part of this user's state back.
    private func giveBack(_ place: String) -> String {
        let isDirectory = attributes(place).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
        return isDirectory ? "chown -R \(geteuid())" : "chown \(geteuid())"
    }

    /// The directory is there, but what is in it cannot be looked at.
    private mutating func addClosed(_ path: String) {
        let message = "this user may not look into it, so whether there is a state is not known"
        let owner = attributes(path, follows: true)?.st_uid
        guard owner != geteuid() else { return add(path, message, "chmod u+rwx") }
        // Root or somebody else may keep other things there.
        let name = Finding.quoted(path)
        let isOwnPlace = attributes(AccessCommands.directories(above: path).last ?? "/")?.st_uid == geteuid()
        guard path == directory else { return add(command: elsewhere, path, message) }
        let give = "\(Finding.sudo(0))chown -R \(geteuid()) \(name)"
        add(
            command: isOwnPlace
                ? give : "\(Finding.sudo(0))ls -la \(name)  # and if it is this user's state: \(give)", path, message)
    }

    /// Another place for the state.
    private var elsewhere: String {
        "export MAM_STATE=/PATH/TO/A/DIRECTORY  # where this user may write, or correct HOME"
    }

    private mutating func add(_ path: String, _ message: String, _ command: String) {
        let owner = command.hasPrefix("chown") ? 0 : attributes(path)?.st_uid ?? geteuid()
        add(command: "\(Finding.sudo(owner))\(command) \(Finding.quoted(path))", path, message)
    }

    private mutating func add(command: String, _ path: String, _ message: String) {
        findings.append(
            Finding(check: "state", severity: .critical, message: message, subject: path, command: command))
    }

    private mutating func isDirectory(_ facts: stat, _ path: String) -> Bool {
        guard facts.st_mode & S_IFMT != S_IFDIR else { return true }
        // A link's target may be the whole state.
        var real = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        if facts.st_mode & S_IFMT == S_IFLNK, realpath(path, &real) != nil {
            let target = String(decoding: real.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let (name, other) = (Finding.quoted(path), Finding.quoted(target))
            let move = "unlink \(name) && mv -T \(other) \(name)"
            let isState = attributes("\(target)/state.db") != nil
            add(
                command: isState ? move : "ls -la \(other)  # and if it is of the state: \(move)", path,
                "is a link, which libmam does not follow")
            return false
        }
        add(
            command: "mv \(Finding.quoted(path)) \(Finding.quoted(Finding.unused(path + ".bad")))", path,
            "is no directory")
        return false
    }

    private mutating func checkFile(_ file: String) {
        guard let facts = attributes(file) else { return }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            guard StateCheck.regular.contains(where: { file == "\(path)/\($0)" }) else { return }
            let aside = Finding.quoted(Finding.unused(file + ".bad"))
            return add(
                command: "mv \(Finding.quoted(file)) \(aside)  # and run doctor again", file, "is no regular file")
        }
        if facts.st_uid != geteuid() { return add(file, "belongs to user \(facts.st_uid)", giveBack(file)) }
        if facts.st_mode & 0o077 != 0 { return add(file, "others may use it", "chmod 600") }
        if facts.st_mode & 0o600 != 0o600 { add(file, "its owner may not read and write it", "chmod 600") }
    }

    /// libmam makes a new database only where no account has a key.
    private mutating func checkDatabase() {
        let database = "\(path)/state.db"
        guard StateCheck.hasLostDatabase(path) else { return }
        findings.append(
            Finding(
                check: "state", severity: .critical,
                message: "is gone or empty, but shares of accounts are still there", subject: database,
                command: Remedy.toRestore(database, in: path) + "  # \(Remedy.withoutCopy(of: path, words: options))"))
    }

    /// Whether a group's state.db is gone or empty while accounts have shares.
    static func hasLostDatabase(_ group: String) -> Bool {
        let size = attributes("\(group)/state.db")?.st_size
        let isLost = size == nil || size == 0 && attributes("\(group)/state.db-wal") == nil
        return isLost && !names("\(group)/shares").isEmpty
    }

    /// The directory is made with the first account, below the first one that is there.
    private mutating func checkCanBeMade() {
        let above = StateCheck.firstPresent(above: directory)
        guard access(above, W_OK | X_OK) != 0 else { return }
        let owner = attributes(above)?.st_uid ?? 0
        // Of several directories all but the last would be root's; a home that is not there may be missing on purpose.
        let isNext = above != "/" && above == AccessCommands.directories(above: directory).last
        let make = "\(Finding.sudo(owner))install -d -m 700 -o \(geteuid()) \(Finding.quoted(directory))"
        add(command: isNext ? make : elsewhere, directory, "is not there and cannot be made in \(above)")
    }

    private mutating func checkFileSystem() {
        let place = attributes(path) != nil ? path : StateCheck.firstPresent(above: path)
        fileSystem = StateCheck.mount(of: place)?.kind
        if let kind = fileSystem, StateCheck.network.contains(kind) || kind == "fuse" || kind.hasPrefix("fuse.") {
            findings.append(
                Finding(
                    check: "state", severity: .critical,
                    message: "is on a network file system (\(kind)), where locks and shared memory fail",
                    subject: place, command: "export MAM_STATE=/var/tmp/libmam-\(geteuid())"))
        }
        freeBytes = StateCheck.freeBytes(place)
        guard let freeBytes, freeBytes < StateCheck.leastFree else { return }
        findings.append(
            Finding(
                check: "state",
                message: "its disk has \(freeBytes >> 10) KiB left; libmam needs \(StateCheck.leastFree >> 20) MiB",
                subject: place, command: Remedy.toFreeSpace(place)))
    }

    /// A wipe overwrites the share of the account's key, or puts a link in its place, and removes it in the end (docs/formats.md).
    private mutating func checkWipes() {
        for name in StateCheck.names("\(path)/shares") {
            let share = "\(path)/shares/\(name)"
            let isLink = attributes(share).map { $0.st_mode & S_IFMT == S_IFLNK } ?? false
            guard isLink || Input.beginning(of: share, 8) == Array("MAMWIPED".utf8) else { continue }
            hasInterruptedWipe = true
            findings.append(
                Finding(
                    check: "wipes", message: "a wipe was interrupted: its key is destroyed, and the rest is not done",
                    subject: share, command: "mamctl checkin\(options)"))
        }
    }

    /// A lease is of a process that is at work. One that is stopped keeps the others waiting.
    private mutating func checkLeases() {
        guard let locks = StateCheck.text("/proc/locks") else { return }
        for name in ["wipe", "enrollment", "unenrollment", "pin"].map({ "\($0).lock" }) {
            guard let facts = attributes("\(path)/\(name)") else { continue }
            // The kernel lists a lock twice where others come and go meanwhile.
            var stopped = Set<pid_t>()
            for line in StateCheck.lines(locks) {
                // NUMBER: FLOCK ADVISORY WRITE PID MAJOR:MINOR:INODE START END
                let words = line.split(separator: " ")
                guard words.count > 5, words[1] == "FLOCK", let pid = pid_t(words[4]), pid > 0,
                    words[5].split(separator: ":").last.flatMap({ UInt64($0) }) == UInt64(facts.st_ino),
                    let status = StateCheck.text("/proc/\(pid)/stat"),
                    let state = status.split(separator: ")").last?.split(separator: " ").first,
                    state == "T" || state == "t", stopped.insert(pid).inserted
                else { continue }
                findings.append(
                    Finding(
                        check: "leases", message: "is kept by process \(pid), which is stopped",
                        subject: "\(path)/\(name)", command: "kill -CONT \(pid)"))
            }
        }
    }
}
