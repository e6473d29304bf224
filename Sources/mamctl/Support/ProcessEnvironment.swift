import Glibc

/// The process's environment variables, arguments, working directory, clock and signals.
enum ProcessEnvironment {
    /// An environment variable; nil where it is unset or empty.
    static func variable(_ name: String) throws -> String? {
        guard let value = getenv(name) else { return nil }
        guard let text = String(validatingCString: value) else { throw CommandError.usage("\(name) is not UTF-8") }
        return text.isEmpty ? nil : text
    }

    /// The account of MAM_IDENTITY, as `mamctl run` sets it, or of a configuration file; "" for no account, nil where none is given.
    static func identity(_ option: String? = nil) throws -> String? {
        try Configuration.text(.account, option: option)
    }

    /// The account of an option, else of MAM_IDENTITY or a configuration file.
    static func account(_ option: String?) throws -> String {
        if let account = try identity(option) { return account }
        throw CommandError.usage("whose? Give --account ACCOUNT or set MAM_IDENTITY")
    }

    /// Swift replaces invalid UTF-8 in arguments, which would change names.
    static func checkArguments() throws {
        for (index, argument) in ownArguments.enumerated() {
            guard String(validatingCString: argument) != nil else {
                throw CommandError.usage("argument \(index) is not UTF-8")
            }
        }
    }

    /// The arguments of mamctl itself, without those of a program that it runs.
    private static var ownArguments: ArraySlice<UnsafeMutablePointer<CChar>> {
        isRunning ? arguments.prefix { strcmp($0, "--") != 0 } : arguments[...]
    }

    /// The arguments as text, without mamctl's own name.
    static var ownArgumentTexts: [String] { ownArguments.dropFirst().map { String(cString: $0) } }

    /// The program to run and its arguments, which follow "--".
    static func program() -> [UnsafeMutablePointer<CChar>] { Array(arguments.dropFirst(ownArguments.count + 1)) }

    /// Whether errors are printed as JSON.
    static var wantsJSON: Bool { ownArguments.contains { strcmp($0, "--json") == 0 } }

    /// Whether a shell asks for completions.
    static var isCompleting: Bool { arguments.count > 1 && strcmp(arguments[1], "---completion") == 0 }

    /// Whether the output follows the convention of Nagios plugins.
    static var isPlugin: Bool {
        arguments.count > 1 && strcmp(arguments[1], "status") == 0
            && ownArguments.contains { strcmp($0, "--nagios") == 0 }
    }

    private static var isRunning: Bool { arguments.count > 1 && strcmp(arguments[1], "run") == 0 }

    private static var arguments: [UnsafeMutablePointer<CChar>] {
        (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0] }
    }

    /// The absolute path, as libmam requires.
    static func absolutePath(_ path: String) throws -> String {
        guard !path.hasPrefix("/") else { return path }
        guard !path.isEmpty else { throw CommandError.usage("a path is empty") }
        guard let directory = getcwd(nil, 0) else {
            throw CommandError.failed("the current directory: \(errorText(errno))")
        }
        defer { free(directory) }
        let here = String(cString: directory)
        return here == "/" ? "/\(path)" : "\(here)/\(path)"
    }

    /// The time in libmam's format, which sorts as text.
    static var now: String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return time(now)
    }

    /// A time in that format.
    static func time(_ time: timespec) -> String {
        var (parts, second) = (tm(), time.tv_sec)
        gmtime_r(&second, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &parts)
        let seconds = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let milliseconds = "\(1000 + time.tv_nsec / 1_000_000)".dropFirst()
        return "\(seconds).\(milliseconds)Z"
    }

    /// Open /dev/null in place of closed standard streams, so that no file opened later gets their numbers. Reads and writes fail
    /// as on a closed descriptor, and a program that is run does not inherit it.
    static func keepStandardStreams() {
        for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
            _ = open("/dev/null", (stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
        }
    }

    /// Turn SIGPIPE and SIGXFSZ into errors of write(2), so that the session is closed in order.
    static func ignoreWriteSignals() {
        for number in defaultWriteSignals { signal(number, SIG_IGN) }
    }

    /// Signals that this process inherited with their default action; programs that it runs get that action back.
    private static let defaultWriteSignals = [SIGPIPE, SIGXFSZ].filter { !EventWait.isIgnored($0) }

    /// Execute a program with changed environment variables; nil unsets one. Returns only by throwing.
    static func replaceProcess(
        _ program: [UnsafeMutablePointer<CChar>], with variables: [(name: String, value: String?)]
    ) throws {
        for (name, value) in variables {
            if let value { setenv(name, value, 1) } else { unsetenv(name) }
        }
        for number in defaultWriteSignals { signal(number, SIG_DFL) }
        var arguments: [UnsafeMutablePointer<CChar>?] = program + [nil]
        execvp(program[0], &arguments)
        let code = errno
        throw CommandError.notRun("\(String(cString: program[0])): \(errorText(code))", exists: code != ENOENT)
    }

    /// The text of an errno value.
    static func errorText(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
