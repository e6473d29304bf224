import MAMValues

/// A status report as a Nagios plugin prints it: one line, performance data after "|", and a status of the convention.
struct StatusPlugin {
    static let unknownStatus: Int32 = 3

    let status: Int32
    let line: String

    init(_ report: JSON) {
        let figures = StatusFigures(report)
        let isKnown = report["stateExists"] == .bool(true)
        status = figures.critical > 0 ? 2 : !isKnown ? StatusPlugin.unknownStatus : figures.warnings > 0 ? 1 : 0
        let app = Text.value(report["app"]["id"])
        let problems = report["problems"].elements
        let first = problems.first { figures.critical == 0 || $0["severity"] == .string("critical") }
        let others = problems.count > 1 ? " (and \(problems.count - 1) more)" : ""
        let told = first.map { problem in
            let account = problem["account"].string.map { "\($0): " } ?? ""
            return account + Text.value(problem["message"]) + others
        }
        let fine = isKnown ? "\(figures.managed) of \(figures.accounts) accounts managed" : "never run here"
        let age = figures.oldestCheckIn.map { " oldest_check_in=\(max(0, figures.time - $0))s;;;0" } ?? ""
        let performance =
            "accounts=\(figures.accounts);;;0 managed=\(figures.managed);;;0 due=\(figures.due);;;0 "
            + "problems=\(problems.count);;;0 open_wipes=\(figures.wipes);;;0 unreported=\(figures.unreported);;;0"
            + age
        let word = ["OK", "WARNING", "CRITICAL", "UNKNOWN"][Int(status)]
        line = "MAM \(word) - \(app): \(StatusPlugin.clean(told ?? fine)) | \(performance)"
    }

    static func unknown(_ message: String) -> String { "MAM UNKNOWN - \(clean(message))" }

    /// "|" begins the performance data.
    private static func clean(_ text: String) -> String {
        Text.clean(text).unicodeScalars.map { $0 == "|" ? "/" : String($0) }.joined()
    }
}
