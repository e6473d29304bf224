import Glibc

/// The process's environment, its directory, and the system's words for an error.
enum Surroundings {
    /// An environment variable; nil where it is not set or empty.
    static func variable(_ name: String) throws -> String? {
        guard let value = getenv(name) else { return nil }
        guard let text = String(validatingCString: value) else { throw Failure.usage("\(name) is not UTF-8") }
        return text.isEmpty ? nil : text
    }

    /// On whose behalf this process acts, as `mamctl run` has told it; "" is nobody's, nil that it was not told.
    static func identity() throws -> String? {
        guard getenv("MAM_IDENTITY") != nil else { return nil }
        return try variable("MAM_IDENTITY") ?? ""
    }

    /// The account that an option names, else the one of MAM_IDENTITY.
    static func account(_ option: String?) throws -> String {
        if let account = try option ?? identity() { return account }
        throw Failure.usage("whose? Give --account ACCOUNT or set MAM_IDENTITY")
    }

    /// Swift repairs arguments that are not UTF-8, and a repaired name is another name.
    static func checkArguments() throws {
        for (index, argument) in ownArguments.enumerated() {
            guard String(validatingCString: argument) != nil else {
                throw Failure.usage("argument \(index) is not UTF-8")
            }
        }
    }

    /// The arguments that are mamctl's, and not those of a program that it is to run: they are what they are.
    private static var ownArguments: ArraySlice<UnsafeMutablePointer<CChar>> {
        isRunning ? arguments.prefix { strcmp($0, "--") != 0 } : arguments[...]
    }

    /// The same as texts, without mamctl's own name.
    static var ownWords: [String] { ownArguments.dropFirst().map { String(cString: $0) } }

    /// What follows the "--": the program that is to run, and its arguments.
    static func program() -> [UnsafeMutablePointer<CChar>] { Array(arguments.dropFirst(ownArguments.count + 1)) }

    /// Whether errors are wanted as JSON.
    static var wantsJSON: Bool { ownArguments.contains { strcmp($0, "--json") == 0 } }

    private static var isRunning: Bool { arguments.count > 1 && strcmp(arguments[1], "run") == 0 }

    private static var arguments: [UnsafeMutablePointer<CChar>] {
        (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0] }
    }

    /// The path from the root, since libmam takes no other.
    static func absolutePath(_ path: String) throws -> String {
        guard !path.hasPrefix("/") else { return path }
        guard !path.isEmpty else { throw Failure.usage("a path is empty") }
        guard let directory = getcwd(nil, 0) else {
            throw Failure.failed("the current directory: \(describe(errno))")
        }
        defer { free(directory) }
        let here = String(cString: directory)
        return here == "/" ? "/\(path)" : "\(here)/\(path)"
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

    /// A standard stream that is closed must not become the number of a file that is opened here: what is written to it
    /// would go there. What stands in fails as a closed one does, and a program that is run does not get it.
    static func keepStandardStreams() {
        for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
            _ = open("/dev/null", (stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
        }
    }

    /// A reader that went away and a file that may not grow are errors of write(2) here, so that the session is closed in
    /// order.
    static func ignoreWriteSignals() {
        for number in defaultWriteSignals { signal(number, SIG_IGN) }
    }

    /// Of those, what this process came with as the system sets it, and hands on.
    private static let defaultWriteSignals = [SIGPIPE, SIGXFSZ].filter { !EventWait.isIgnored($0) }

    /// Let a program take this one's place, with these variables; nil takes one away. Returns only by failing.
    static func become(
        _ program: [UnsafeMutablePointer<CChar>], with variables: [(name: String, value: String?)]
    ) throws {
        for (name, value) in variables {
            if let value { setenv(name, value, 1) } else { unsetenv(name) }
        }
        for number in defaultWriteSignals { signal(number, SIG_DFL) }
        var arguments: [UnsafeMutablePointer<CChar>?] = program + [nil]
        execvp(program[0], &arguments)
        let code = errno
        throw Failure.notRun("\(String(cString: program[0])): \(describe(code))", isThere: code != ENOENT)
    }

    /// What an errno number means.
    static func describe(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
