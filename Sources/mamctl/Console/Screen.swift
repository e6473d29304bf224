import Glibc

/// The whole terminal as one page. `leave` restores what was on it; so does the end of the object.
final class Screen {
    /// The keys that a page reacts to.
    enum Key: Equatable {
        case up, down, left, right, pageUp, pageDown, home, end
        case letter(Character)
    }

    /// Besides those of ``EventWait``: they would end or stop the process with the terminal as it is.
    private static let blockedSignals = [SIGQUIT, SIGTSTP]
    /// The sequences behind an escape character that terminals send for keys.
    private static let sequences: [(String, Key)] = [
        ("A", .up), ("B", .down), ("C", .right), ("D", .left), ("H", .home), ("F", .end), ("1~", .home), ("4~", .end),
        ("5~", .pageUp), ("6~", .pageDown),
    ]

    private var former = termios()
    private var isEntered = false

    /// Standard input and output are a terminal that can show a page.
    static var isAvailable: Bool {
        let isDumb = getenv("TERM").map { strcmp($0, "dumb") == 0 || $0.pointee == 0 } ?? true
        return Output.isTerminal && isatty(STDIN_FILENO) == 1 && !isDumb
    }

    init() throws {
        guard tcgetattr(STDIN_FILENO, &former) == 0 else {
            throw CommandError.failed("the terminal: \(ProcessEnvironment.errorText(errno))")
        }
        var blocked = sigset_t()
        sigemptyset(&blocked)
        for number in Screen.blockedSignals { sigaddset(&blocked, number) }
        sigprocmask(SIG_BLOCK, &blocked, nil)
    }

    deinit { leave() }

    /// Take the terminal: keys come one by one, without echo.
    func enter() throws {
        var direct = former
        direct.c_lflag &= ~tcflag_t(ECHO | ICANON)
        tcsetattr(STDIN_FILENO, TCSANOW, &direct)
        isEntered = true
        // Another screen buffer, no cursor, no line breaks of the terminal's own.
        try put("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l")
    }

    /// Give the terminal back.
    func leave() {
        guard isEntered else { return }
        isEntered = false
        try? put("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &former)
    }

    /// Columns and lines.
    var size: (width: Int, height: Int) { Output.terminalSize ?? (80, 24) }

    /// Show these lines, from the top.
    func show(_ lines: [StyledLine]) throws {
        let text = lines.map { "\($0.text)\u{1b}[K" }.joined(separator: "\r\n")
        try put("\u{1b}[H\(text)\u{1b}[J")
    }

    /// The keys that were typed; nil at the end of input.
    func keys() -> [Key]? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else { return count < 0 && errno == EINTR ? [] : nil }
        var rest = String(decoding: bytes.prefix(count), as: UTF8.self)[...]
        var keys: [Key] = []
        while let first = rest.first {
            if first == "\u{1b}", let second = rest.dropFirst().first, second == "[" || second == "O" {
                let sequence = rest.dropFirst(2)
                if let (text, key) = Screen.sequences.first(where: { sequence.hasPrefix($0.0) }) {
                    keys.append(key)
                    rest = sequence.dropFirst(text.count)
                    continue
                }
            }
            keys.append(.letter(first))
            rest = rest.dropFirst()
        }
        return keys
    }

    private func put(_ text: String) throws {
        try Array(text.utf8).withUnsafeBytes { try Output.write($0) }
    }
}
