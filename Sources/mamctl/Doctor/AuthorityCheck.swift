import CMam
import Glibc
import MAMValues

/// The authority's file and key, first looked at from outside, and then asked what changes nothing.
struct AuthorityCheck {
    let path: String
    private(set) var findings: [Finding] = []
    /// The version of the tables; nil where it could not be read.
    private(set) var schema: Int?
    /// Whether opening the file would change nothing, so that it may be asked.
    private(set) var mayBeOpened = false

    /// The latest version of the tables, which ``MAMAuthority`` gives a new authority.
    private static let latestSchema = 6
    private static let applicationId: UInt32 = 0x4D41_4D61  // "MAMa"

    init(path: String) {
        self.path = path
        examine()
    }

    private mutating func examine() {
        guard let facts = attributes(path, follows: true) else {
            let code = errno
            let make = "mamctl authority create --authority \(Finding.quoted(path))"
            return add(
                ProcessEnvironment.errorText(code), code == ENOENT ? make : "ls -ld \(Finding.quoted(directory))")
        }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            return add("is not a file", "mv \(Finding.quoted(path)) \(Finding.quoted(path + ".bad"))")
        }
        checkClock(facts)
        guard access(path, R_OK) == 0 else { return add("this user may not read it", readable(facts)) }
        let sudo = Finding.sudo(facts.st_uid)
        let header = Input.beginning(of: resolved, 100) ?? []
        guard !header.isEmpty, AuthorityCheck.number(header, 68) == AuthorityCheck.applicationId else {
            return add(
                "is no authority, or is damaged",
                "\(sudo)mv \(Finding.quoted(path)) \(Finding.quoted(path + ".bad"))  # and put the newest copy back")
        }
        schema = Int(AuthorityCheck.number(header, 60))
        let show = "\(sudo)mamctl authority show --authority \(Finding.quoted(path))"
        if let schema, schema < AuthorityCheck.latestSchema {
            return add(
                "was made by an older libmam (version \(schema)); its owner's first use brings it up to date", show,
                .warning)
        }
        if let journal = attributes(resolved + "-journal"), journal.st_size > 0 {
            return add(
                "a change of it was interrupted or is in progress; its owner's next use takes it back", show, .warning)
        }
        mayBeOpened = true
        if facts.st_uid == geteuid() { checkKey() }
        ask()
    }

    private var directory: String { path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/" }

    /// The path with links resolved: the key file is beside the file itself.
    private var resolved: String {
        var real = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard realpath(path, &real) != nil else { return path }
        return String(decoding: real.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private mutating func add(
        _ message: String, _ command: String, _ severity: Finding.Severity = .critical, _ subject: String? = nil
    ) {
        findings.append(
            Finding(
                check: "authority", severity: severity, message: message, subject: subject ?? path, command: command))
    }

    private func readable(_ facts: stat) -> String {
        guard facts.st_mode & S_IRGRP != 0, let group = getgrgid(facts.st_gid), let name = group.pointee.gr_name else {
            return "\(Finding.sudo(facts.st_uid))chmod g+r \(Finding.quoted(path))"
        }
        return "sudo usermod -a -G \(Finding.quoted(String(cString: name))) $(id -un)"
    }

    /// A file that was changed in the future shows that this clock, or that of the administrator, is wrong.
    private mutating func checkClock(_ facts: stat) {
        let ahead = Int(facts.st_mtim.tv_sec) - Int(time(nil))
        guard ahead > 300 else { return }
        findings.append(
            Finding(
                check: "clock",
                message: "it was changed \(ahead / 60) minutes in the future: this computer's clock is behind",
                subject: path, command: "\(Finding.sudo(0))timedatectl set-ntp true"))
    }

    private mutating func checkKey() {
        let file = resolved + ".key"
        guard let facts = attributes(file) else {
            return add(
                "its key file is missing: the authority can be read, not changed",
                "cp -p /PATH/TO/THE/BACKUP.key \(Finding.quoted(file))", .warning, file)
        }
        if facts.st_mode & 0o077 != 0 {
            add("others may use the key file", "chmod 600 \(Finding.quoted(file))", .warning, file)
        }
    }

    /// No user has this name, so "no such user" proves that the file can be read.
    private mutating func ask() {
        let request: JSON = ["user": "libmam doctor", "app": "libmam.doctor"]
        do {
            _ = try Library.text { mam_policy_explain(path, request.text, $0) }
        } catch {
            guard mam_last_status() != MAM_ERR_NOT_FOUND else { return checkSignatures() }
            add(error.libraryMessage(path), "mamctl version", .critical)
            mayBeOpened = false
        }
    }

    /// A change verifies every row first. This one finds no wipe to cancel, and is taken back.
    private mutating func checkSignatures() {
        guard access(path, W_OK) == 0, attributes(resolved + ".key") != nil else { return }
        do {
            _ = try Library.administer(path, #"{"action":"wipe.cancel","wipe":9223372036854775807}"#)
        } catch {
            guard mam_last_status() == MAM_ERR_TAMPERED else { return }
            add(
                error.libraryMessage(path),
                "mamctl authority key sign --authority \(Finding.quoted(path))  # after looking at all of it")
        }
    }

    private static func number(_ header: [UInt8], _ offset: Int) -> UInt32 {
        header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension Error {
    /// The message of libmam, without the path that it begins with.
    fileprivate func libraryMessage(_ path: String) -> String {
        let message = (self as? CommandError)?.message ?? "\(self)"
        return message.hasPrefix("\(path): ") ? String(message.dropFirst(path.count + 2)) : message
    }
}
