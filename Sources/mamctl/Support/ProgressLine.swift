import Glibc

/// How far a long piece of work has come, on one line of a terminal that is standard error; nowhere else.
struct ProgressLine {
    /// Bytes between two looks: short work shows nothing.
    private static let step = 16 << 20

    private let name: String
    private let total: Int?
    let isShown: Bool
    private var done = 0
    private var shown = 0

    /// Of so many bytes, where that is known; quiet where a program reads what is told.
    init(_ name: String, total: Int?, isQuiet: Bool) {
        self.name = name
        self.total = total
        isShown = !isQuiet && ProgressLine.hasTerminal
    }

    /// Whether standard error is a terminal on which a line can be written anew.
    static var hasTerminal: Bool {
        let isDumb = getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? true
        return !isDumb && isatty(STDERR_FILENO) == 1
    }

    /// The latest words about the work, in place of the former ones; "" takes them away.
    static func say(_ words: String) { Output.ask("\r\u{1b}[K\(Text.clean(words))") }

    /// So many more are done.
    mutating func advance(_ count: Int) {
        reach(done + count)
    }

    /// So many are done in all.
    mutating func reach(_ count: Int) {
        done = total.map { min(count, $0) } ?? count
        guard isShown, done - shown >= ProgressLine.step else { return }
        shown = done
        let part = total.map { " of \($0 >> 20) MiB, \($0 > 0 ? min(100, done / max(1, $0 / 100)) : 100) %" } ?? " MiB"
        ProgressLine.say("\(name): \(done >> 20)\(part)")
    }

    /// Nothing of it stays.
    func clear() {
        if shown > 0 { ProgressLine.say("") }
    }
}
