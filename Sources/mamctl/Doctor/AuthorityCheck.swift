import CMam
import Glibc
import MAMValues

/// The authority's file and key, first looked at from outside, and then asked what changes nothing.
struct AuthorityCheck {
    let path: String
    private(set) var findings: [Finding] = []
    /// The version of the tables; nil where it could not be read.
    private(set) var schema: Int?
    /// Whether there is no such file.
    private(set) var isMissing = false
    /// Whether opening the file would change nothing, so that it may be asked.
    private(set) var mayBeOpened = false

    /// The latest version of the tables, which ``MAMDirectory`` gives a new authority.
    private static let latestSchema = 6
    private static let applicationId: UInt32 = 0x4D41_4D61  // "MAMa"

    init(path: String) {
        self.path = path
        examine()
    }

    private mutating func examine() {
        guard let facts = attributes(path, follows: true) else {
            let code = errno
            isMissing = code == ENOENT
            guard !isMissing else { return }
            let open = FileAccess.reading(path, isPublic: false)
            return add(ProcessEnvironment.errorText(code), open ?? "export MAM_AUTHORITY=/PATH/TO/THE/authority.db")
        }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            return add("is not a file", "\(setAside)  # and put the newest copy here")
        }
        checkClock(facts)
        guard access(path, R_OK) == 0 else {
            let open = FileAccess.reading(path, isPublic: false)
            return add(
                "this user may not read it", open ?? "namei -l \(Finding.quoted(path))  # and mend what is in the way")
        }
        // Settings of a service: the session asks it.
        guard !SessionOptions.isService(path) else { return mayBeOpened = true }
        let header = Input.beginning(of: resolved, 100) ?? []
        guard !header.isEmpty, AuthorityCheck.number(header, 68) == AuthorityCheck.applicationId else {
            return add("is no authority, or is damaged", "\(setAside)  # and put the newest copy here")
        }
        schema = Int(AuthorityCheck.number(header, 60))
        if let schema, schema < AuthorityCheck.latestSchema {
            return add(
                "was made by an older libmam (version \(schema)); its owner's first use brings it up to date",
                administering("show"), .warning)
        }
        if let journal = attributes(resolved + "-journal"), journal.st_size > 0 {
            return add(
                "a change of it was interrupted or is in progress; its owner's next use takes it back",
                administering("show"), .warning)
        }
        mayBeOpened = true
        checkKey(of: facts)
        ask()
    }

    /// The path with links resolved: the key file is beside the file itself.
    private var resolved: String {
        var real = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard realpath(path, &real) != nil else { return path }
        return String(decoding: real.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A command of `mamctl authority`, by the file's owner.
    func administering(_ words: String) -> String {
        let owner = attributes(path, follows: true)?.st_uid ?? geteuid()
        return "\(Finding.sudo(owner))mamctl authority \(words) --authority \(Finding.quoted(path))"
    }

    private var setAside: String {
        let owner = attributes(path, follows: true)?.st_uid ?? geteuid()
        return "\(Finding.sudo(owner))mv \(Finding.quoted(path)) \(Finding.quoted(path + ".bad"))"
    }

    private mutating func add(
        _ message: String, _ command: String, _ severity: Finding.Severity = .critical, _ subject: String? = nil
    ) {
        findings.append(
            Finding(
                check: "authority", severity: severity, message: message, subject: subject ?? path, command: command))
    }

    /// A file that was changed in the future shows that this clock, or that of the administrator, is wrong.
    private mutating func checkClock(_ facts: stat) {
        let ahead = Int(facts.st_mtim.tv_sec) - Int(time(nil))
        guard ahead > CheckInTimes.tolerance else { return }
        findings.append(
            Finding(
                check: "clock",
                message: "it was changed \(ahead / 60) minutes in the future: this computer's clock is behind",
                subject: path, command: "\(Finding.sudo(0))timedatectl set-ntp true"))
    }

    /// Everybody sees the key file's rights; the rest is for the authority's owner, who alone needs it.
    private mutating func checkKey(of authority: stat) {
        let file = resolved + ".key"
        let facts = attributes(file)
        if let facts, facts.st_mode & 0o077 != 0 {
            add(
                "others may use the key file", "\(Finding.sudo(facts.st_uid))chmod 600 \(Finding.quoted(file))",
                .warning,
                file)
        }
        guard authority.st_uid == geteuid() else { return }
        checkDirectory()
        guard let facts else {
            return add(
                "its key file is missing: the authority can be read, not changed",
                "cp -p /PATH/TO/THE/BACKUP.key \(Finding.quoted(file))", .warning, file)
        }
        guard facts.st_uid != geteuid() else { return }
        // A file that was given away has left its key behind.
        let isGivenAway = geteuid() == 0
        let (owner, given) = isGivenAway ? (facts.st_uid, resolved) : (geteuid(), file)
        add(
            "the key file belongs to user \(facts.st_uid)",
            "\(Finding.sudo(0))chown \(owner) \(Finding.quoted(given))", .warning, file)
    }

    /// SQLite makes a journal beside the file for each change.
    private mutating func checkDirectory() {
        let place = FileAccess.directories(above: resolved).last ?? "/"
        guard access(place, W_OK | X_OK) != 0, let facts = attributes(place, follows: true) else { return }
        let isOwn = facts.st_uid == geteuid()
        add(
            "its owner may not write the directory, so the authority can be read, not changed",
            isOwn
                ? "chmod u+wx \(Finding.quoted(place))"
                : "\(Finding.sudo(0))chown \(geteuid()) \(Finding.quoted(place))",
            .warning, place)
    }

    /// No user has this name, so "no such user" proves that the file can be read.
    private mutating func ask() {
        let request: JSON = ["user": "libmam doctor", "app": "libmam.doctor"]
        do {
            _ = try Library.text { mam_policy_explain(path, request.text, $0) }
        } catch {
            let status = Int(mam_last_status())
            guard status != MAM_ERR_NOT_FOUND else {
                checkFaults()
                return checkSignatures()
            }
            mayBeOpened = false
            switch status {
            case MAM_ERR_VERSION:
                add(error.libraryMessage(path), "make install  # of the release that made it, or a newer one")
            case MAM_ERR_BUSY:
                add(error.libraryMessage(path), "fuser -v \(Finding.quoted(path))  # and end what keeps it locked")
            case MAM_ERR_NO_SPACE: add(error.libraryMessage(path), Remedy.freeing(path))
            case _ where Remedy.isDamage(status):
                add(error.libraryMessage(path), "\(setAside)  # and put the newest copy here")
            default:
                add(error.libraryMessage(path), "\(administering("show"))  # once the cause is gone; nothing is lost")
            }
        }
    }

    /// Faults make requests fail on purpose, until somebody clears them.
    private mutating func checkFaults() {
        guard let reply = try? Library.administer(path, #"{"action":"fault.list"}"#),
            let faults = try? JSON(parsing: reply)["faults"].elements, !faults.isEmpty
        else { return }
        let names = faults.map { Text.value($0["fault"]) }.joined(separator: ", ")
        add(
            "faults are set, which make requests of apps fail as a rehearsal: \(names)", administering("fault clear"),
            .warning)
    }

    /// A change verifies every row first. This one finds no wipe to cancel, and is taken back.
    private mutating func checkSignatures() {
        guard access(path, W_OK) == 0, attributes(resolved + ".key") != nil else { return }
        do {
            _ = try Library.administer(path, #"{"action":"wipe.cancel","wipe":9223372036854775807}"#)
        } catch {
            guard mam_last_status() == MAM_ERR_TAMPERED else { return }
            add(error.libraryMessage(path), "\(administering("key sign"))  # after looking at all of it")
        }
    }

    private static func number(_ header: [UInt8], _ offset: Int) -> UInt32 {
        header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension AuthorityCheck {
    /// Compare with what the state says of the authority: `answer` is "authority" of mam_diagnostics, null where the state was not
    /// opened. `accepting` is the command that takes the authority at the path for the known one.
    mutating func compare(with answer: JSON, hasState: Bool, accepting: String) {
        let known = answer["known"]
        if isMissing { return addMissing(known, hasState: hasState, accepting: accepting) }
        guard let problem = answer["problem"].string, !findings.contains(where: { $0.severity == .critical }) else {
            return
        }
        let message = problem.hasPrefix("\(path): ") ? String(problem.dropFirst(path.count + 2)) : problem
        let here = (try? Library.administer(path, #"{"action":"key.show"}"#)).flatMap { try? JSON(parsing: $0) }
        let isSame =
            here?["authority"] == known["id"]
            && (here?["number"] != known["number"] || here?["key"] == known["key"])
            && (here?["number"].integer ?? 0) >= (known["number"].integer ?? 0)
        // The owner's own look has found rows that others changed.
        add(
            message,
            isSame
                ? "\(administering("key sign"))  # after looking at all of it"
                : "\(restoring)  # or, if this one is meant: \(accepting)")
    }

    /// The command that puts a copy back.
    private var restoring: String {
        let sudo = Finding.sudo(attributes(directory, follows: true)?.st_uid ?? geteuid())
        return "\(sudo)cp -p /PATH/TO/THE/BACKUP.db \(Finding.quoted(path)) && \(sudo)cp -p /PATH/TO/THE/BACKUP.db.key "
            + Finding.quoted(path + ".key")
    }

    /// A new authority in the place of a known one is another, which apps refuse.
    private mutating func addMissing(_ known: JSON, hasState: Bool, accepting: String) {
        let make = "mamctl authority create --authority \(Finding.quoted(path))"
        guard hasState || attributes(path + ".key") != nil else {
            return add(ProcessEnvironment.errorText(ENOENT), make)
        }
        guard hasState else {
            return add(
                "\(ProcessEnvironment.errorText(ENOENT)), but its key file is here: put the newest copy back",
                "cp -p /PATH/TO/THE/BACKUP.db \(Finding.quoted(path))")
        }
        let id = known["id"].string.map { "the authority \($0)" } ?? "one"
        add(
            "\(ProcessEnvironment.errorText(ENOENT)): apps of this state know \(id) here, and refuse another; put the newest copy "
                + "back with its key file. Without a copy, make another with '\(make)', and then '\(accepting)'",
            restoring)
    }

    private var directory: String { path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/" }
}

extension Error {
    /// The message of libmam, without the path that it begins with.
    fileprivate func libraryMessage(_ path: String) -> String {
        let message = (self as? CommandError)?.message ?? "\(self)"
        return message.hasPrefix("\(path): ") ? String(message.dropFirst(path.count + 2)) : message
    }
}
