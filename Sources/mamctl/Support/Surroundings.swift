import Glibc

/// The process's environment, its directory, and the system's words for an error.
enum Surroundings {
    /// An environment variable; nil where it is not set or empty.
    static func variable(_ name: String) throws -> String? {
        guard let value = getenv(name) else { return nil }
        guard let text = String(validatingCString: value) else { throw Failure.usage("\(name) is not UTF-8") }
        return text.isEmpty ? nil : text
    }

    /// Swift repairs arguments that are not UTF-8, and a repaired name is another name.
    static func checkArguments() throws {
        for index in 0..<Int(CommandLine.argc) {
            guard let argument = CommandLine.unsafeArgv[index] else { continue }
            guard String(validatingCString: argument) != nil else {
                throw Failure.usage("argument \(index) is not UTF-8")
            }
        }
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

    /// The time as libmam writes it, so that texts compare as times do.
    static var now: String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        var parts = tm()
        gmtime_r(&time.tv_sec, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &parts)
        let seconds = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let milliseconds = "\(1000 + time.tv_nsec / 1_000_000)".dropFirst()
        return "\(seconds).\(milliseconds)Z"
    }

    /// What an errno number means.
    static func describe(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
