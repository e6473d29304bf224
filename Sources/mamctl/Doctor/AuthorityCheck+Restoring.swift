import CMam
import Glibc
import MAMValues

/// A path that is wrong, a file that is lost, and an authority other than the known one.
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
        if isSame, message.hasPrefix("it is an older copy") { return add(message + origin, acceptingOlder) }
        // The owner's own look has found rows that others changed.
        let both = "\(replacing(path, by: "BACKUP.db")) && \(replacing(path + ".key", by: "BACKUP.db.key"))"
        add(
            message + origin,
            isSame
                ? restoringChanged
                : "\(both)\(AuthorityCheck.wipesAgain); or, if this one is meant, closing what its apps have: \(accepting)"
        )
    }

    /// The newest copy, or this one.
    private var acceptingOlder: String {
        let key = attributes(resolved + ".key") == nil ? "\(restoringKey) && " : ""
        let accept = key + administering("accept")
        return "\(replacing(path, by: "BACKUP.db")); or, after deciding again what this copy lacks: "
            + (isAdministrator ? accept : "\(accept)  # \(AuthorityCheck.asking)")
    }

    /// The command that puts a copy back, with its key file unless that is here.
    private var restoring: String { puttingBack + AuthorityCheck.wipesAgain }

    private var puttingBack: String {
        let sudo = Finding.sudo(attributes(directory, follows: true)?.st_uid ?? geteuid())
        let database =
            movingJournal(of: path, to: Finding.unused(path + ".bad"), sudo)
            + "\(sudo)cp -p /PATH/TO/THE/BACKUP.db \(Finding.quoted(path))"
        return attributes(path + ".key") == nil ? "\(database) && \(restoringKey)" : database
    }

    private var restoringKey: String {
        let sudo = Finding.sudo(attributes(directory, follows: true)?.st_uid ?? geteuid())
        return "\(sudo)cp -p /PATH/TO/THE/BACKUP.db.key \(Finding.quoted(path + ".key"))"
    }

    private static let wipesAgain = "  # and request again the wipes that the copy does not have"

    /// The command that puts a copy in the place of a damaged file, which is kept. `copy` is the end of its name.
    func replacing(_ file: String, by copy: String) -> String {
        let sudo = Finding.sudo(attributes(file, follows: true)?.st_uid ?? geteuid())
        let (name, new, bad) = (Finding.quoted(file), Finding.quoted(file + ".new"), Finding.unused(file + ".bad"))
        return "\(sudo)cp -p /PATH/TO/THE/\(copy) \(new) && \(sudo)mv -T \(name) \(Finding.quoted(bad)) && "
            + movingJournal(of: file, to: bad, sudo) + "\(sudo)mv \(new) \(name)"
    }

    /// The beginning of a command that moves aside what SQLite would roll back into a copy: the journal of a writer that was killed.
    private func movingJournal(of file: String, to other: String, _ sudo: String) -> String {
        guard attributes(file + "-journal") != nil else { return "" }
        return "\(sudo)mv -T \(Finding.quoted(file + "-journal")) \(Finding.quoted(other + "-journal")) && "
    }

    /// A file with a key beside it was an authority; any other may be one that the setting names by mistake.
    var restoringDamaged: String {
        let restored = replacing(path, by: "BACKUP.db") + AuthorityCheck.wipesAgain
        return attributes(resolved + ".key") == nil ? correcting(or: restored) : restored
    }

    /// A file with rows that the authority did not sign. Signing them as they stand makes a forged row, or a damaged one, the
    /// authority's own.
    var restoringChanged: String {
        "\(replacing(path, by: "BACKUP.db"))\(AuthorityCheck.wipesAgain); or, after looking at all of it: \(administering("key sign"))"
    }

    /// The setting that gives the path, for a message.
    var origin: String {
        switch source.source {
        case .standard: ""
        case .user, .system:
            "; the path is from \(source.file ?? ""):\(source.line ?? 0)\(source.isFinal ? " (final)" : "")"
        default: "; the path is from \(source.origin)"
        }
    }

    /// The command that corrects the path where it is given.
    var correction: String {
        let meant = Finding.quoted(nearest ?? "/PATH/TO/THE/authority.db")
        switch source.source {
        case .option: return "mamctl doctor --authority \(meant)"
        case .environment, .standard: return "export MAM_AUTHORITY=\(meant)"
        case .user, .system:
            let file = source.file ?? ""
            let line = source.line ?? 1
            let sudo = Finding.sudo(attributes(file)?.st_uid ?? 0)
            // A path that sed would not take as it stands is left to the editor.
            guard nearest != nil, !meant.utf8.contains(where: "'&|\\".utf8.contains) else {
                return ConfigurationCheck.editing(file, line: "\(line)")
            }
            return "\(sudo)sed -i '\(line)s|=.*|= \(meant)|' \(Finding.quoted(file))"
        }
    }

    /// First correct a path that somebody gave; `command` is for one that is right.
    func correcting(or command: String) -> String {
        guard source.source != .standard else { return command }
        return "\(correction)  # or, if the path is right: \(command)"
    }

    /// Another authority beside the path whose name is near, or the standard one.
    private var nearest: String? {
        if let authority = SecretFile(path)?.authority { return authority }
        let folder = AccessCommands.directories(above: path).last ?? "/"
        let own = String(path.split(separator: "/").last ?? "")
        let others = StateCheck.names(folder).filter {
            !$0.hasPrefix(own) && AuthorityCheck.isAuthority("\(folder)/\($0)")
        }
        if let found = NearestName.find(own, among: others) { return "\(folder == "/" ? "" : folder)/\(found)" }
        return ConfigurationKey.authority.standard.flatMap { AuthorityCheck.isAuthority($0) ? $0 : nil }
    }

    /// A new authority in the place of a known one is another, which apps refuse.
    private mutating func addMissing(_ known: JSON, hasState: Bool, accepting: String) {
        let make = "mamctl authority create --authority \(Finding.quoted(path))"
        let missing = ProcessEnvironment.errorText(ENOENT)
        guard hasState || attributes(path + ".key") != nil else {
            return add(
                "\(missing); where there was one, put it back with its key or name its new place, since apps refuse another\(origin)",
                Finding.adding("# or, where there was one: \(puttingBack)", to: correcting(or: make)))
        }
        guard hasState else {
            return add(
                "\(missing), but its key file is here: put the newest copy back",
                restoring)
        }
        let id = known["id"].string.map { "the authority \($0)" } ?? "one"
        add(
            "\(missing)\(origin). Apps of this state know \(id) here, and refuse another: correct the path, or put the newest copy back "
                + "with its key file. If it was moved, name its new place. Without a copy, make another with '\(make)', and then, closing what its apps have, "
                + "'\(accepting)'",
            correcting(or: restoring))
    }

    private var directory: String { path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/" }
}
