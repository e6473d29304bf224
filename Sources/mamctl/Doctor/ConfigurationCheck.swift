import CMam
import Glibc
import MAMValues

/// The configuration files, the values that final ones override, and the locale.
struct ConfigurationCheck {
    private(set) var findings: [Finding] = []
    /// Whether the files can be read.
    private var isReadable: Bool { !findings.contains { $0.severity == .critical } }
    private var hasInvalidValues = false
    /// Whether the values say which session it is.
    var selectsSession: Bool { isReadable && !hasInvalidValues }

    init(_ session: SessionOptions) throws {
        let files: [(String?, Bool)] = [(try Configuration.userPath(), false), (Configuration.systemPath, true)]
        for case (let path?, let isSystem) in files {
            do {
                _ = try ConfigurationFile.read(path, isSystem: isSystem)
            } catch let error as CommandError {
                findings.append(
                    Finding(
                        check: "configuration", severity: .critical, message: error.message ?? "", subject: path,
                        command: ConfigurationCheck.command(path, error.message ?? "")))
            }
        }
        guard isReadable else { return }
        for (key, option) in session.given {
            for (value, final) in try Configuration.overridden(key, option: option) {
                findings.append(
                    Finding(
                        check: "configuration",
                        message:
                            "\(value.origin) gives \(value.text), but \(final.text) is final in \(final.file ?? "")",
                        subject: key.rawValue, command: ConfigurationCheck.command(value)))
            }
        }
        for (key, option) in session.given {
            guard let value = try Configuration.value(key, option: option),
                let problem = ConfigurationCheck.problem(value)
            else { continue }
            hasInvalidValues = true
            let isInFile = value.file != nil
            let message = isInFile ? "\(key.rawValue): \(problem)" : problem
            findings.append(
                Finding(
                    check: "configuration", message: message,
                    subject: isInFile ? "\(value.file ?? ""):\(value.line ?? 0)" : value.origin,
                    command: ConfigurationCheck.command(invalid: value)))
        }
        try checkLocale()
    }

    /// The problem of a value; nil for a valid one.
    private static func problem(_ value: Configuration.Value) -> String? {
        switch value.key {
        case .app, .group:
            guard !AppId.isValid(value.text) else { return nil }
            let hint = unquoted(value.text) == value.text ? "" : "; values take no quotation marks"
            return
                "'\(value.text)' is no app id: 1 to 128 of A-Z a-z 0-9 . _ - that begin with a letter or digit\(hint)"
        case .unknownIdentities:
            guard UnknownIdentities(rawValue: value.text) == nil else { return nil }
            return "'\(value.text)' is neither unmanaged nor error"
        case .settings:
            do { _ = try Input.json(value.text, option: value.origin) } catch {
                return (error as? CommandError)?.message ?? "\(error)"
            }
            return nil
        default: return nil
        }
    }

    /// The text without quotation marks around it.
    private static func unquoted(_ text: String) -> String {
        guard text.utf8.count > 1, let mark = text.first, text.last == mark, mark == "\"" || mark == "'" else {
            return text
        }
        return String(text.dropFirst().dropLast())
    }

    /// The command that mends an invalid value: a file's loses its quotation marks, or becomes a comment.
    private static func command(invalid value: Configuration.Value) -> String {
        guard let file = value.file, let line = value.line else { return command(value) }
        let sudo = Finding.sudo(attributes(file)?.st_uid ?? geteuid())
        let bare = unquoted(value.text)
        let isMarked = bare != value.text && (value.key == .unknownIdentities || AppId.isValid(bare))
        if value.isFinal, !isMarked { return ConfigurationCheck.editing(file, line: "\(line)") }
        let edit = isMarked ? ##""\##(line)s/[\"']//g""## : "'\(line)s/^/# /'"
        return "\(sudo)sed -i \(edit) \(Finding.quoted(file))"
    }

    /// A line that may bind everybody is mended, not taken away.
    static func editing(_ file: String, line: String) -> String {
        "\(Finding.sudo(attributes(file)?.st_uid ?? 0))${EDITOR:-vi} +\(line) \(Finding.quoted(file))"
    }

    /// The command that mends a file which cannot be read.
    private static func command(_ path: String, _ message: String) -> String {
        let isPublic = path == Configuration.systemPath
        if let open = isPublic ? AccessCommands.toReadPublicFile(path) : AccessCommands.toReadOwnFile(path) {
            return open
        }
        let (name, owner) = (Finding.quoted(path), attributes(path)?.st_uid ?? geteuid())
        // "PATH:LINE: problem"
        let line = message.dropFirst(path.count + 1).prefix { $0.isASCII && $0.isNumber }
        if message.hasPrefix("\(path):"), !line.isEmpty {
            // One in a comment is refused, too.
            let hasControls = message.contains("is a control character")
            guard path != Configuration.systemPath, !hasControls else { return editing(path, line: String(line)) }
            return "\(Finding.sudo(owner))sed -i '\(line)s/^/# /' \(name)"
        }
        if message.contains("can be written by others") { return "\(Finding.sudo(owner))chmod go-w \(name)" }
        if message.contains("belongs to user") {
            return "\(Finding.sudo(0))cat \(name)  # and if all of it is meant: \(Finding.sudo(0))chown root \(name)"
        }
        return "\(Finding.sudo(owner))mv \(name) \(Finding.quoted(Finding.unused(path + ".bad")))"
    }

    /// The command that takes a value away.
    static func command(_ value: Configuration.Value) -> String {
        switch value.source {
        case .option: return "mamctl doctor  # without \(value.key.option)"
        case .environment: return "unset \(value.key.variable)"
        default:
            let file = value.file ?? ""
            let sudo = Finding.sudo(attributes(file)?.st_uid ?? geteuid())
            return "\(sudo)sed -i '\(value.line ?? 1)s/^/# /' \(Finding.quoted(file))"
        }
    }

    /// Like gettext, libmam ignores LANGUAGE in the C locale.
    private mutating func checkLocale() throws {
        let wanted = try ProcessEnvironment.variable("LANGUAGE")
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        guard let wanted, let name = try names.first(where: { try ProcessEnvironment.variable($0) != nil }),
            let locale = try ProcessEnvironment.variable(name), ["C", "POSIX"].contains(locale)
        else { return }
        findings.append(
            Finding(
                check: "language", message: "LANGUAGE=\(wanted) has no effect in the locale \(locale)", subject: name,
                command: "export \(name)=C.UTF-8"))
    }
}
