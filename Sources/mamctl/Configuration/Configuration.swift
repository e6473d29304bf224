import Glibc
import MAMValues

/// The values that select a session or authority. The first of these gives a value: a final one of the system's file, the option, the
/// environment, the user's file, the system's file.
enum Configuration {
    static let systemPath = "/etc/mam/mam.conf"

    enum Source: String {
        case option, environment, user, system
        case standard = "default"
    }

    struct Value {
        let key: ConfigurationKey
        let text: String
        let source: Source
        /// The file that the value is from; nil for other sources.
        var file: String?
        /// Its line in that file.
        var line: Int?
        var isFinal = false

        /// The source in words, as people write it.
        var origin: String {
            switch source {
            case .option: key.option
            case .environment: key.variable
            case .user, .system: (file ?? "") + (isFinal ? " (final)" : "")
            case .standard: "default"
            }
        }
    }

    /// The value in force; nil where nothing gives one. Warns where a final value takes the place of others.
    static func value(_ key: ConfigurationKey, option: String? = nil) throws -> Value? {
        for (other, final) in try overridden(key, option: option) { warn(final, countsInsteadOf: text(of: other)) }
        let given = try candidates(key, option)
        return given.first(where: \.isFinal) ?? given.first
    }

    /// The values that a final one takes the place of, each with that one.
    static func overridden(_ key: ConfigurationKey, option: String? = nil) throws -> [(value: Value, final: Value)] {
        let given = try candidates(key, option)
        guard let final = given.first(where: \.isFinal) else { return [] }
        return try given.prefix { !$0.isFinal }.filter { try !isSame($0, final) }.map { ($0, final) }
    }

    /// Say that a final value counts.
    static func warn(_ final: Value, countsInsteadOf other: String) {
        warnings.add("\(final.file ?? ""): \(final.key.rawValue) is final: \(final.text) counts, not \(other)")
    }

    /// The text in force, an absolute path for a path.
    static func text(_ key: ConfigurationKey, option: String? = nil) throws -> String? {
        try value(key, option: option).map { key.isPath ? try ProcessEnvironment.absolutePath($0.text) : $0.text }
    }

    /// The file of the user, which need not exist; nil where neither XDG_CONFIG_HOME nor HOME says where.
    static func userPath() throws -> String? {
        // Relative paths in XDG_CONFIG_HOME are invalid (XDG base directory specification).
        if let home = try ProcessEnvironment.variable("XDG_CONFIG_HOME"), home.hasPrefix("/") {
            return "\(home)/mam/mam.conf"
        }
        return try ProcessEnvironment.variable("HOME").map { "\($0)/.config/mam/mam.conf" }
    }

    private static func candidates(_ key: ConfigurationKey, _ option: String?) throws -> [Value] {
        var found = option.map { [Value(key: key, text: $0, source: .option)] } ?? []
        // An empty account means no user; any other empty variable counts as unset.
        let isSet = key == .account && getenv(key.variable) != nil
        if let text = try ProcessEnvironment.variable(key.variable) ?? (isSet ? "" : nil) {
            found.append(Value(key: key, text: text, source: .environment))
        }
        for file in try files.get() {
            guard let entry = file.entries[key] else { continue }
            let source = file.isSystem ? Source.system : .user
            found.append(
                Value(
                    key: key, text: entry.value, source: source, file: file.path, line: entry.line,
                    isFinal: entry.isFinal))
        }
        if let text = key.standard { found.append(Value(key: key, text: text, source: .standard)) }
        return found
    }

    private static func isSame(_ one: Value, _ other: Value) throws -> Bool {
        guard one.key.isPath else { return one.text == other.text }
        return try ProcessEnvironment.absolutePath(one.text) == ProcessEnvironment.absolutePath(other.text)
    }

    private static func text(of value: Value) -> String {
        switch value.source {
        case .option: "\(value.key.option) \(value.text)"
        case .environment: "\(value.key.variable)=\(value.text)"
        default: "\(value.text) of \(value.origin)"
        }
    }

    /// The files that exist, the user's first; read once.
    private static let files = Result {
        try [
            userPath().flatMap { try ConfigurationFile.read($0, isSystem: false) },
            ConfigurationFile.read(systemPath, isSystem: true),
        ].compactMap(\.self)
    }

    private static let warnings = Warnings()

    /// Prints each warning once. mamctl has one thread.
    private final class Warnings: @unchecked Sendable {
        private var printed: Set<String> = []

        func add(_ message: String) {
            guard printed.insert(message).inserted, !ProcessEnvironment.isCompleting else { return }
            let json = JSON.members(["warning": .string(message)]).text
            Output.complain(ProcessEnvironment.wantsJSON ? json : "mamctl: \(Text.clean(message))")
        }
    }
}
