import Glibc
import MAMValues

/// A status report as metrics in Prometheus' text format. They name no person, because monitoring is read by others than the state.
struct StatusMetrics {
    let text: String

    /// Without a report only that the state could not be asked.
    init(_ report: JSON?, app: String?) {
        // The user id keeps the states of several people apart.
        let label = "app=\"\(StatusMetrics.escaped(app ?? ""))\",uid=\"\(geteuid())\""
        var lines: [String] = []
        func add(_ name: String, _ help: String, _ values: [(labels: String, value: Int)]) {
            lines.append("# HELP mam_\(name) \(help)")
            lines.append("# TYPE mam_\(name) gauge")
            lines += values.map { "mam_\(name){\(label)\($0.labels)} \($0.value)" }
        }
        func add(_ name: String, _ help: String, _ value: Int) { add(name, help, [("", value)]) }
        add("up", "Whether the app has a state here that could be asked.", report == nil ? 0 : 1)
        if let report {
            let figures = StatusFigures(report)
            add("authority_up", "Whether the authority can be asked.", report["authority"]["problem"] == .null ? 1 : 0)
            add("accounts", "Accounts of the app.", figures.accounts)
            add("managed_accounts", "Accounts with a policy in force.", figures.managed)
            add("due_accounts", "Accounts whose check-in is due.", figures.due)
            add(
                "problems", "Findings that need attention.",
                [(",severity=\"critical\"", figures.critical), (",severity=\"warning\"", figures.warnings)])
            add("open_wipes", "Wipes that are not finished.", figures.wipes)
            add(
                "unreported_unenrollments", "Unenrollments that are not reported to the authority yet.",
                figures.unreported)
            if let oldest = figures.oldestCheckIn {
                add("oldest_check_in_timestamp_seconds", "The earliest of the accounts' latest check-ins.", oldest)
            }
            add("status_timestamp_seconds", "When this was found out.", figures.time)
        }
        text = lines.joined(separator: "\n") + "\n"
    }

    /// Replace the file as a whole: the collector may read it at any time, as another user. `-` is standard output.
    func write(_ path: String) throws {
        guard path != "-" else { return try Array(text.utf8).withUnsafeBytes { try Output.write($0) } }
        let content = try FileReplacement(of: path, source: "-", standardMode: 0o644).begin()
        try Array(text.utf8).withUnsafeBytes { try content.write($0) }
        try content.commit()
    }

    private static func escaped(_ value: String) -> String {
        value.unicodeScalars.map { scalar in
            scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : Character(scalar).isNewline ? " " : String(scalar)
        }.joined()
    }
}
