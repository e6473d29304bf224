import Glibc

/// The progress of long work, on one line of standard error; shown on a terminal only.
struct ProgressLine {
    /// Bytes between updates; shorter work shows nothing.
    private static let step = 16 << 20

    private let name: String
    private let total: Int?
    let isShown: Bool
    private var done = 0
    private var shown = 0

    /// `total` in bytes, where known; `isQuiet` where a program reads the output.
    init(_ name: String, total: Int?, isQuiet: Bool) {
        self.name = name
        self.total = total
        isShown = !isQuiet && ProgressLine.hasTerminal
    }

    /// Whether standard error is a terminal on which a line can be rewritten.
    static var hasTerminal: Bool {
        let isDumb = getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? true
        return !isDumb && isatty(STDERR_FILENO) == 1
    }

    /// Replace the line by other words; "" erases it.
    static func say(_ words: String) { Output.ask("\r\u{1b}[K\(Text.clean(words))") }

    /// Add to the finished bytes.
    mutating func advance(_ count: Int) {
        reach(done + count)
    }

    /// Set the finished bytes.
    mutating func reach(_ count: Int) {
        done = total.map { min(count, $0) } ?? count
        guard isShown, done - shown >= ProgressLine.step else { return }
        shown = done
        let part = total.map { " of \($0 >> 20) MiB, \($0 > 0 ? min(100, done / max(1, $0 / 100)) : 100) %" } ?? " MiB"
        ProgressLine.say("\(name): \(done >> 20)\(part)")
    }

    /// Erase the line.
    func clear() {
        if shown > 0 { ProgressLine.say("") }
    }
}
