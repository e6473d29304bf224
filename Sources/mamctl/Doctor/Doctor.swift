import ArgumentParser
import CMam
import Glibc
import MAMValues

/// `mamctl doctor`
struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find what is wrong with the installation, and the command that mends it.",
        discussion: """
            Looks at the versions, the configuration files, the authority and its key, the state directory with its \
            file system, rights and leases, the shared memory, the clock, the keys, wipes and accounts. Each finding \
            names the path or setting, and a command to run, whose words in capitals you replace. Notes are worth knowing, \
            and count for nothing. Nothing is changed by looking: the state is opened as by 'mamctl status' only where \
            that changes nothing. --data names a directory with a program's data, to find work data whose keys are gone: \
            files that libmam has sealed or labelled, and containers of 'mamctl protect' in files of their own; not protected \
            text inside of a file.

            Exit status: 0 nothing found, 3 something needs attention, 1 the authority or the state cannot be asked.

            Example:
              mamctl doctor
              mamctl doctor --json | jq -r '.findings[].command'
            """)

    @Option(
        help: ArgumentHelp("Look through this directory, too; may be repeated.", valueName: "directory"),
        completion: .directory)
    var data: [String] = []

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        for path in data { try FileWalk.checkExists(path) }
        let report = try Doctor.examined(session, data: data)
        let findings = report["findings"].elements
        try output.show(report.text) { _ in Doctor.lines(report, findings) }
        if report["health"] == .string("unreachable") { throw CommandError.silent(.failed) }
        if report["health"] == .string("attention") { throw CommandError.silent(.refused) }
    }

    /// The report. Nothing is changed by looking.
    static func examined(_ session: SessionOptions, data: [String] = []) throws -> JSON {
        let library = String(cString: mam_version())
        var findings = try installed()
        let configuration = try ConfigurationCheck(session)
        findings += configuration.findings
        var facts: [JSON.Member] = [
            ("mamctl", .string(MAM_VERSION)), ("libmam", .string(library)), ("abi", .number(mam_abi_version())),
        ]
        // Without valid values nothing says which authority and which state.
        if configuration.selectsSession {
            let (app, group) = try session.appAndGroup()
            let path = try SessionOptions.authorityPath(session.authority)
            var authority = AuthorityCheck(
                path: path,
                source: try Configuration.value(.authority, option: session.authority)
                    ?? Configuration.Value(key: .authority, text: path, source: .standard))
            let state = StateCheck(
                directory: try session.stateDirectory, group: group, options: session.words)
            let directory = "\(state.directory)/\(group)"
            let isOpened = state.mayBeOpened && (authority.mayBeOpened || authority.isMissing)
            let check = isOpened ? try SessionCheck(session, group: directory, authority: authority) : nil
            let diagnosis = check?.diagnosis ?? .null
            authority.compare(
                with: diagnosis["authority"],
                hasState: diagnosis == .null ? state.exists != false : diagnosis["authority"]["known"] != .null,
                accepting: (check?.remedy ?? Remedy(words: session.words, authority: authority)).acceptingAuthority)
            // The session may have found the same.
            let custody = (check?.findings ?? []).filter { $0.check == "custody" && $0.severity == .warning }.map(
                \.command)
            findings += authority.findings.filter { !custody.contains($0.command) }
            findings += state.findings + (check?.findings ?? [])
            if try session.isNeverRun() { findings.append(try Doctor.neverRun(session, directory)) }
            if let doubt = check?.doubt { findings.append(Doctor.neverRun(doubt, .warning, session, directory)) }
            if isOpened || state.exists == false && state.findings.isEmpty {
                findings += try DataCheck(data, session, state: directory, exists: isOpened).findings
            }
            let more: [JSON.Member] = [
                ("app", .string(app)), ("stateDirectory", .string(directory)),
                ("stateExists", state.exists.map(JSON.bool) ?? .null),
                ("fileSystem", .optional(state.fileSystem)), ("freeBytes", state.freeBytes.map(JSON.integer) ?? .null),
                ("authority", .string(authority.path)), ("schema", authority.schema.map { .number($0) } ?? .null),
                ("custody", diagnosis["authority"]["custody"]), ("keyCustody", diagnosis["keyCustody"]),
            ]
            facts += more
        }
        let notes = findings.filter { $0.severity == .note }
        findings.removeAll { $0.severity == .note }
        let isReachable = !findings.contains { $0.severity == .critical }
        let health = isReachable ? findings.isEmpty ? "fine" : "attention" : "unreachable"
        return .object(
            facts + [
                ("health", .string(health)), ("findings", .array(findings.map(\.json))),
                ("notes", .array(notes.map(\.json))),
            ])
    }

    /// Nothing is wrong with an app that nobody has used; but its id or group may be misspelt, so that whatever is asked of it is refused.
    private static func neverRun(_ session: SessionOptions, _ directory: String) throws -> Finding {
        let (message, isMisspelt) = try session.neverRun()
        return neverRun(message, isMisspelt ? .warning : .note, session, directory)
    }

    private static func neverRun(
        _ message: String, _ severity: Finding.Severity, _ session: SessionOptions, _ directory: String
    ) -> Finding {
        // A state in which no account was ever enrolled has no key of anybody's.
        let removing =
            attributes("\(directory)/state.db") == nil
            ? "" : "; if this id is a mistake, remove \(directory)"
        return Finding(
            check: "state", severity: severity, message: message, subject: directory,
            command: "mamctl status --all-apps  # shows the apps that were run here; a new one: "
                + "mamctl enroll UPN\(session.words)\(removing)")
    }

    /// mamctl has its own libmam inside; programs load the one beside it, which has to be of the same version.
    private static func installed() throws -> [Finding] {
        let folder = "\(try ShellLibrary.prefix())/lib"
        let (name, wanted) = ("\(folder)/libmam.so.0", "libmam.so.\(MAM_VERSION)")
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink(name, &target, target.count)
        guard length > 0 else { return [] }
        let other = String(decoding: target[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard other.split(separator: "/").last.map(String.init) != wanted else { return [] }
        let isThere = access("\(folder)/\(wanted)", R_OK) == 0
        let link = "\(Finding.sudo(attributes(folder)?.st_uid ?? 0))ln -sfn \(wanted) \(Finding.quoted(name))"
        return [
            Finding(
                check: "versions", message: "mamctl is of version \(MAM_VERSION), but programs load \(other)",
                subject: name, command: isThere ? link : "make install  # of one release")
        ]
    }

    private static func lines(_ report: JSON, _ findings: [JSON]) -> [String] {
        let facts = report.members.filter { !["findings", "notes", "health"].contains($0.key) && $0.value != .null }
        return Text.fields(facts.map { (Text.words($0.key), Text.value($0.value)) }) + [""]
            + report["notes"].elements.flatMap { lines($0, "note: ") }
            + (findings.isEmpty ? [fine(report)] : findings.flatMap { lines($0, "") })
    }

    private static func fine(_ report: JSON) -> String {
        report["stateExists"] == .bool(false)
            ? "nothing is wrong, but \(Text.value(report["app"])) was never run here" : "nothing is wrong"
    }

    private static func lines(_ finding: JSON, _ prefix: String) -> [String] {
        // Some messages begin with the path that they are about.
        let (subject, message) = (Text.value(finding["subject"]), Text.value(finding["message"]))
        let isNamed = message.hasPrefix("\(subject):") || message.hasPrefix("\(subject)/")
        let what = ([Text.value(finding["check"])] + (isNamed ? [] : [subject]) + [message]).joined(separator: ": ")
        return [prefix + what] + (finding["command"].string.map(Finding.lines) ?? [])
    }
}
