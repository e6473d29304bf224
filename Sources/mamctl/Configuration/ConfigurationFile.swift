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
        let text = try Input.text(bytes, name: path, status: MAM_ERR_ARGUMENT)
        var file = ConfigurationFile(path: path, isSystem: isSystem)
        // By bytes: "\r\n" is one Character, and none of the two that it is made of.
        for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            do {
                try file.add(Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line), number: index + 1)
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
        try ConfigurationFile.checkCharacters(line)
        let line = ConfigurationFile.trimmed(line)
        guard let first = line.utf8.first, first != UInt8(ascii: "#") else { return }
        guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            throw LineError(problem: "expected KEY = VALUE")
        }
        var name = ConfigurationFile.trimmed(line[..<equals])
        let (word, blanks) = ("final".utf8, " \t".utf8)
        let isFinal =
            name.utf8.starts(with: word) && name.utf8.dropFirst(word.count).first.map(blanks.contains) ?? false
        if isFinal { name = ConfigurationFile.trimmed(Substring(name.utf8.dropFirst(word.count))) }
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
        let value = try ConfigurationFile.value(
            of: key, ConfigurationFile.trimmed(line[line.utf8.index(after: equals)...]))
        entries[key] = Entry(value: value, isFinal: isFinal, line: number)
    }

    private static func value(of key: ConfigurationKey, _ text: Substring) throws(LineError) -> String {
        guard !text.isEmpty else { throw LineError(problem: "\(key.rawValue) has no value") }
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

    /// Editors show what follows a lone carriage return, and its kin, as a line of its own, also in a comment.
    private static func checkCharacters(_ line: Substring) throws(LineError) {
        for scalar in line.unicodeScalars where scalar != "\t" {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                let name = "U+\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)"
                throw LineError(
                    problem: "\(name) is a control character; a line ends with a line feed, or with CR and LF")
            default: continue
            }
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.unicodeScalars
        while let first = text.first, first.properties.isWhitespace { text.removeFirst() }
        while let last = text.last, last.properties.isWhitespace { text.removeLast() }
        return Substring(text)
    }
}
