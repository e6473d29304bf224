import Glibc

/// The process's environment, its directory, and the system's words for an error.
enum Surroundings {
    /// An environment variable; nil where it is not set or empty.
    static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// The path from the root, since libmam takes no other.
    static func absolutePath(_ path: String) throws -> String {
        guard !path.hasPrefix("/") else { return path }
        guard !path.isEmpty else { throw Failure.usage("a path is empty") }
        guard let directory = getcwd(nil, 0) else {
            throw Failure.failed("the current directory: \(describe(errno))")
        }
        defer { free(directory) }
        return "\(String(cString: directory))/\(path)"
    }

    /// The time as libmam writes it, to the second: later ones compare as greater.
    static var now: String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &parts)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// What an errno number means.
    static func describe(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
