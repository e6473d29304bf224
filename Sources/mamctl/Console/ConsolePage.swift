import CMam
import Glibc
import MAMValues

/// The page while it is shown.
struct ConsolePage {
    private static let heading = "q quit  ↑↓ move  ←→ account  v verbose log  p reset PIN"
    /// Times in words change without anything else.
    private static let looks = 15

    private let session: Session
    private let screen: Screen
    private var report: ConsoleReport
    private var mark: [String] = []
    private var selected = 0
    private var top = 0
    private var note = ""
    private var looksLeft = 0

    init(_ session: Session) throws {
        self.session = session
        screen = try Screen()
        report = try ConsoleReport(of: session, selected: 0)
    }

    /// Show the page until a key or a signal ends it.
    mutating func run() throws {
        let wait = EventWait(descriptors: [STDIN_FILENO], timeout: nil)
        try screen.enter()
        defer { screen.leave() }
        repeat {
            // A state that is locked for long, for example, is no reason to end.
            do { try look() } catch let error as CommandError { note = error.message ?? "" }
            try draw()
            guard try wait.pause() else { return }
            guard try typed() else { return }
        } while true
    }

    /// Read the report again if anything has changed, or after some time.
    private mutating func look() throws {
        let account = report.accounts.isEmpty ? nil : report.accounts[selected % report.accounts.count]
        let now = try ConsoleReport.mark(of: session, account: account)
        looksLeft -= 1
        guard now != mark || looksLeft < 0 else { return }
        (mark, looksLeft) = (now, ConsolePage.looks)
        report = try ConsoleReport(of: session, selected: selected)
    }

    private mutating func draw() throws {
        let (width, height) = screen.size
        let lines = report.lines
        let room = max(1, height - 2)
        top = max(0, min(top, lines.count - room))
        let shown = lines.dropFirst(top).prefix(room).map { $0.cut(to: width) }
        let padding = [StyledLine](repeating: StyledLine(""), count: room - shown.count)
        let last = min(lines.count, top + room)
        let place = lines.count > room ? "lines \(top + 1) to \(last) of \(lines.count)" : ""
        let foot = note.isEmpty ? place : note
        try screen.show(
            [StyledLine(ConsolePage.heading, .title).cut(to: width)] + shown + padding + [
                StyledLine(foot, .title).cut(to: width)
            ])
    }

    /// Carry out what was typed; false to end.
    private mutating func typed() throws -> Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&input, 1, 0) > 0 else { return true }
        guard let keys = screen.keys() else { return false }
        let page = max(1, screen.size.height - 3)
        for key in keys {
            note = ""
            switch key {
            case .letter("q"), .letter("Q"): return false
            case .up: top -= 1
            case .down: top += 1
            case .pageUp: top -= page
            case .pageDown, .letter(" "): top += page
            case .home: top = 0
            case .end: top = .max / 2
            case .right: choose(1)
            case .left: choose(-1)
            case .letter("v"): try setVerbose(!report.isVerbose)
            case .letter("p"): try resetPIN()
            default: break
            }
        }
        return true
    }

    private mutating func choose(_ step: Int) {
        guard !report.accounts.isEmpty else { return }
        selected = (selected + step + report.accounts.count) % report.accounts.count
        (looksLeft, top) = (0, 0)
    }

    private mutating func setVerbose(_ isOn: Bool) throws {
        do {
            try session.perform { mam_set_override($0, "VerboseLoggingEnabled", isOn ? "true" : "false") }
            note = isOn ? "the log files name people from now on" : "the verbose log is off"
        } catch let error as CommandError { note = error.message ?? "" }
        looksLeft = 0
    }

    /// On the terminal as it was, where the person signs in and types.
    private mutating func resetPIN() throws {
        guard !report.accounts.isEmpty else { return note = "there is no account" }
        let account = report.accounts[selected % report.accounts.count]
        screen.leave()
        do {
            let end = try JSON(parsing: session.operate { mam_pin_reset($0, account, $1) })
            note = Text.value(end["message"])
        } catch let error as CommandError { note = error.message ?? "" }
        try screen.enter()
        looksLeft = 0
    }
}
