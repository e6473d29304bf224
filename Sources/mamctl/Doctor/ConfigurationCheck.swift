import CMam
import Glibc
import MAMValues

/// The configuration files, the values that final ones override, and the locale.
struct ConfigurationCheck {
    private(set) var findings: [Finding] = []
    /// Whether the files say which session it is.
    var isReadable: Bool { !findings.contains { $0.severity == .critical } }

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
        try checkLocale()
    }

    /// The command that mends a file which cannot be read.
    private static func command(_ path: String, _ message: String) -> String {
        let (name, owner) = (Finding.quoted(path), attributes(path)?.st_uid ?? geteuid())
        // "PATH:LINE: problem"
        let line = message.dropFirst(path.count + 1).prefix { $0.isNumber }
        if message.hasPrefix("\(path):"), !line.isEmpty {
            return "\(Finding.sudo(owner))sed -i '\(line)s/^/# /' \(name)"
        }
        if message.contains("can be written by others") { return "\(Finding.sudo(owner))chmod go-w \(name)" }
        if message.contains("belongs to user") { return "\(Finding.sudo(0))chown root \(name)" }
        return "\(Finding.sudo(owner))mv \(name) \(Finding.quoted(path + ".bad"))"
    }

    private static func command(_ value: Configuration.Value) -> String {
        switch value.source {
        case .option: "mamctl doctor  # without \(value.key.option)"
        case .environment: "unset \(value.key.variable)"
        default: "sed -i 's/^[ \\t]*\(value.key.rawValue)[ \\t]*=/# &/' \(Finding.quoted(value.file ?? ""))"
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
