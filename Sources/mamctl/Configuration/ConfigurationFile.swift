import CMam
import Glibc
import MAMValues

/// One configuration file of mamctl: lines `key = value`, comments with `#`, and in the system's file `final key = value`.
struct ConfigurationFile {
    struct Entry {
        let value: String
        let isFinal: Bool
        let line: Int
    }

    let path: String
    let isSystem: Bool
    private(set) var entries: [ConfigurationKey: Entry] = [:]

    private static let maximumLength = 1 << 20

    /// Nil where there is no such file.
    static func read(_ path: String, isSystem: Bool) throws -> ConfigurationFile? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw Input.unreadable(path) }
            return nil
        }
        defer { close(descriptor) }
        try checkOwner(descriptor, path, isSystem: isSystem)
        let bytes = try Input.read(descriptor, limit: maximumLength, name: path)
        guard let text = bytes.withBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw CommandError.failed("\(path) is not UTF-8", status: MAM_ERR_ARGUMENT)
        }
        var file = ConfigurationFile(path: path, isSystem: isSystem)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            do {
                try file.add(trimmed(line), number: index + 1)
            } catch {
                throw CommandError.failed("\(path):\(index + 1): \(error.problem)", status: MAM_ERR_ARGUMENT)
            }
        }
        return file
    }

    /// Whoever can write the file chooses the authority, so it must be the user's or root's alone.
    private static func checkOwner(_ descriptor: Int32, _ path: String, isSystem: Bool) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Input.unreadable(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CommandError.failed("\(path) is not a regular file", status: MAM_ERR_ARGUMENT)
        }
        guard status.st_uid == 0 || !isSystem && status.st_uid == geteuid() else {
            let owner = isSystem ? "root" : "you or root"
            throw CommandError.failed(
                "\(path) belongs to user \(status.st_uid); it has to belong to \(owner)", status: MAM_ERR_PERMISSION)
        }
        guard status.st_mode & (isSystem ? 0o022 : 0o002) == 0 else {
            throw CommandError.failed(
                "\(path) can be written by others; run 'chmod go-w \(path)'", status: MAM_ERR_PERMISSION)
        }
    }

    private struct LineError: Error {
        let problem: String
    }

    private mutating func add(_ line: Substring, number: Int) throws(LineError) {
        guard !line.isEmpty, line.first != "#" else { return }
        guard let equals = line.firstIndex(of: "=") else { throw LineError(problem: "expected KEY = VALUE") }
        var name = ConfigurationFile.trimmed(line[..<equals])
        let isFinal = name.hasPrefix("final ") || name.hasPrefix("final\t")
        if isFinal { name = ConfigurationFile.trimmed(name.dropFirst("final".count)) }
        guard let key = ConfigurationKey(rawValue: String(name)) else {
            let names = ConfigurationKey.allCases.map(\.rawValue)
            let question = NearestName.question(String(name), among: names)
            let choices = names.joined(separator: ", ")
            throw LineError(problem: "unknown key '\(name)'.\(question) The keys are \(choices)")
        }
        guard isSystem || !isFinal else {
            throw LineError(problem: "only \(Configuration.systemPath) may have final values")
        }
        guard entries[key] == nil else { throw LineError(problem: "\(key.rawValue) is given twice") }
        let value = try ConfigurationFile.value(of: key, ConfigurationFile.trimmed(line[line.index(after: equals)...]))
        entries[key] = Entry(value: value, isFinal: isFinal, line: number)
    }

    private static func value(of key: ConfigurationKey, _ text: Substring) throws(LineError) -> String {
        guard !text.isEmpty else { throw LineError(problem: "\(key.rawValue) has no value") }
        guard !text.utf8.contains(0) else { throw LineError(problem: "\(key.rawValue) has a NUL character in it") }
        guard key.isPath else { return String(text) }
        if text.hasPrefix("~/"), let home = getenv("HOME").flatMap({ String(validatingCString: $0) }), !home.isEmpty {
            return home + text.dropFirst()
        }
        // The current directory is not that of the file's author.
        guard text.hasPrefix("/") else {
            throw LineError(problem: "\(key.rawValue) has to be an absolute path, or begin with ~/")
        }
        return String(text)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}
