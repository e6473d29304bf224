import CMam
import Glibc
import MAMValues

/// The authority's file and key, first looked at from outside, and then asked what changes nothing.
struct AuthorityCheck {
    let path: String
    /// The setting that gives the path.
    let source: Configuration.Value
    private(set) var findings: [Finding] = []
    /// The version of the tables; nil where it could not be read.
    private(set) var schema: Int?
    /// Whether there is no such file.
    private(set) var isMissing = false
    /// Whether opening the file would change nothing, so that it may be asked.
    private(set) var mayBeOpened = false

    /// The latest version of the tables, which ``MAMDirectory`` gives a new authority.
    private static let latestSchema = 8
    private static let applicationId: UInt32 = 0x4D41_4D61  // "MAMa"

    init(path: String, source: Configuration.Value) {
        (self.path, self.source) = (path, source)
        examine()
    }

    private mutating func examine() {
        guard let facts = attributes(path, follows: true) else {
            let code = errno
            isMissing = code == ENOENT
            guard !isMissing else { return }
            let open = AccessCommands.toReadAuthority(path)
            return add("\(ProcessEnvironment.errorText(code))\(origin)", open ?? correction)
        }
        if let secret = SecretFile(path) { return add(secret.message + origin, correction) }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            // Without a key beside it no authority was here, and a directory may hold one.
            let isPlace = source.source == .standard || attributes(resolved + ".key") != nil
            return add(
                "is not a file\(origin)", isPlace ? correcting(or: replacing(path, by: "BACKUP.db")) : correction)
        }
        checkClock(facts)
        guard checkOwner(facts) || access(path, R_OK) == 0 else { return }
        guard access(path, R_OK) == 0 else {
            let open = AccessCommands.toReadAuthority(path)
            return add(
                "this user may not read it", open ?? "namei -l \(Finding.quoted(path))  # and mend what is in the way")
        }
        guard !SessionOptions.isService(path) else {
            guard (try? SessionOptions.serviceSettings(path)) != nil else {
                return add("is JSON, but not the settings of a service\(origin)", correction)
            }
            // The session asks the service.
            return mayBeOpened = true
        }
        guard let header = AuthorityCheck.header(resolved) else {
            return add("is no authority, or is damaged\(origin)", restoringDamaged)
        }
        schema = Int(AuthorityCheck.number(header, 60))
        if let schema, schema < AuthorityCheck.latestSchema {
            return add(
                "was made by an older libmam (version \(schema)); its owner's first use brings it up to date",
                administering("show"), .warning)
        }
        if let journal = attributes(resolved + "-journal"), journal.st_size > 0 {
            return add(
                "a change of it was interrupted or is in progress; its owner's next use takes it back. If the file was replaced since, move "
                    + "its -journal away first: it belongs to the former file and would damage this one",
                administering("show"), .warning)
        }
        mayBeOpened = true
        checkKey(of: facts)
        checkKeeping(facts)
        ask()
    }

    /// The path with links resolved: the key file is beside the file itself.
    var resolved: String { AuthorityCheck.resolved(path) }

    static func resolved(_ path: String) -> String {
        var real = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard realpath(path, &real) != nil else { return path }
        return String(decoding: real.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A command of `mamctl authority`, by the file's owner.
    func administering(_ words: String) -> String {
        let owner = attributes(path, follows: true)?.st_uid ?? geteuid()
        return "\(Finding.sudo(owner))mamctl authority \(words) --authority \(Finding.quoted(path))"
    }

    /// Whether this user decides here: the file's owner, and root. A service is administered elsewhere.
    var isAdministrator: Bool {
        guard !SessionOptions.isService(path), let owner = attributes(path, follows: true)?.st_uid else { return false }
        return [0, owner].contains(geteuid())
    }

    /// A command that takes back what the administrator has decided, and the one that follows. Anybody else is referred to the
    /// administrator.
    func deciding(_ words: String, then next: String) -> String {
        isAdministrator ? "\(administering(words)) && \(next)" : "\(next)  # \(AuthorityCheck.asking)"
    }

    /// The first step of others than the administrator.
    static let asking = "ask the administrator first, who has decided this"

    mutating func add(
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
                message:
                    "it was changed \(RelativeTime(seconds: ahead).words) in the future: this computer's clock is behind",
                subject: path, command: "\(Finding.sudo(0))timedatectl set-ntp true"))
    }

    /// Why the authority at a path cannot be asked, with the status; nil where it can. No user has this name, so "no such user" proves that
    /// a request is answered. The action then searches the whole file for damage.
    static func failure(_ path: String) -> (error: any Error, status: Int)? {
        let request: JSON = ["user": "libmam doctor", "app": "libmam.doctor"]
        do { _ = try Library.text { mam_policy_explain(path, request.text, $0) } } catch {
            guard mam_last_status() == MAM_ERR_NOT_FOUND, attributes(path, follows: true) != nil else {
                return (error, Int(mam_last_status()))
            }
        }
        do { _ = try Library.administer(path, #"{"action":"authority.show"}"#) } catch {
            return (error, Int(mam_last_status()))
        }
        return nil
    }

    private mutating func ask() {
        guard let (error, status) = AuthorityCheck.failure(path) else {
            checkFaults()
            return checkChange()
        }
        mayBeOpened = status == MAM_ERR_TAMPERED
        switch status {
        case MAM_ERR_VERSION:
            add(error.libraryMessage(path), "make install  # of the release that made it, or a newer one")
        case MAM_ERR_BUSY:
            add(
                error.libraryMessage(path),
                "\(Finding.sudo(0))fuser -v \(Finding.quoted(path))  # and end what keeps it locked")
        case MAM_ERR_NO_SPACE: add(error.libraryMessage(path), Remedy.toFreeSpace(path))
        case MAM_ERR_TAMPERED: add(error.libraryMessage(path), restoringChanged)
        case _ where Remedy.isDamage(status):
            add(error.libraryMessage(path), restoringDamaged)
        default:
            add(error.libraryMessage(path), "\(administering("show"))  # once the cause is gone; nothing is lost")
        }
    }

    /// Faults make requests fail on purpose, until somebody clears them.
    private mutating func checkFaults() {
        guard let reply = try? Library.administer(path, #"{"action":"fault.list"}"#),
            let faults = try? JSON(parsing: reply)["faults"].elements, !faults.isEmpty
        else { return }
        let names = faults.map { Text.value($0["fault"]) }.joined(separator: ", ")
        add(
            "faults are set, which make requests of apps fail as a rehearsal: \(names)",
            deciding("fault clear", then: "mamctl authority fault list"), .warning)
    }

    /// The first bytes of an authority's file; nil for any other.
    private static func header(_ path: String) -> [UInt8]? {
        guard let header = Input.beginning(of: path, 100), number(header, 68) == applicationId else { return nil }
        return header
    }

    /// Whether the file is an authority as this release makes them.
    static func isCurrent(_ path: String) -> Bool { header(path).map { number($0, 60) == latestSchema } ?? false }

    static func isAuthority(_ path: String) -> Bool { header(path) != nil }

    private static func number(_ header: [UInt8], _ offset: Int) -> UInt32 {
        header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension Error {
    /// The message of libmam, without the path that it begins with.
    func libraryMessage(_ path: String) -> String {
        let message = (self as? CommandError)?.message ?? "\(self)"
        return message.hasPrefix("\(path): ") ? String(message.dropFirst(path.count + 2)) : message
    }
}
