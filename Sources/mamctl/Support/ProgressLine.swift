import Glibc

/// How far a long piece of work has come, on one line of a terminal that is standard error; nowhere else.
struct ProgressLine {
    /// Bytes between two looks: short work shows nothing.
    private static let step = 16 << 20

    private let name: String
    private let total: Int?
    private let isShown: Bool
    private var done = 0
    private var shown = 0

    /// Of so many bytes, where that is known; quiet where a program reads what is told.
    init(_ name: String, total: Int?, isQuiet: Bool) {
        let isDumb = getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? true
        self.name = name
        self.total = total
        isShown = !isQuiet && !isDumb && isatty(STDERR_FILENO) == 1
    }

    /// So many more are done.
    mutating func advance(_ count: Int) {
        done += count
        guard isShown, done - shown >= ProgressLine.step else { return }
        shown = done
        let part = total.map { " of \($0 >> 20) MiB, \($0 > 0 ? min(100, done / max(1, $0 / 100)) : 100) %" } ?? " MiB"
        Output.ask("\r\u{1b}[K\(Text.clean(name)): \(done >> 20)\(part)")
    }

    /// Nothing of it stays.
    func clear() {
        if shown > 0 { Output.ask("\r\u{1b}[K") }
    }
}
