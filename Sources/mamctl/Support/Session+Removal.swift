import CMam
import Glibc
import MAMValues

/// Hears from the session's log of wipes, because reading its events would take them from the app: shows how many files were removed
/// on a terminal, warns of files that are left, and keeps the accounts whose wipes were completed.
private final class RemovalLog {
    private let isQuiet: Bool
    private let isShown: Bool
    /// The ids of accounts in the state, as in mam_diagnostics.
    private(set) var wiped: [String] = []
    /// Those of which files could not be removed.
    private(set) var unfinished: Set<String> = []
    private var hasLeft = false

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
        isShown = !isQuiet && ProgressLine.hasTerminal
    }

    func hear(_ level: Int32, _ line: String) {
        let words = line.split(separator: " ")
        if words.count == 3, words[0] == "account", words[2] == "wiped" {
            wiped.append(String(words[1]))
            if hasLeft { unfinished.insert(String(words[1])) }
            hasLeft = false
        }
        if line.utf8.starts(with: "a wipe could not remove ".utf8) { hasLeft = true }
        let removes = line.utf8.starts(with: "a wipe ".utf8)
        if removes, isShown, level == MAM_LOG_INFO { ProgressLine.say(line) }
        guard removes, !isQuiet, level == MAM_LOG_WARNING, words.contains("removed") else { return }
        clear()
        Output.complain("mamctl: \(line) (mamctl events --json names them)")
    }

    func clear() {
        if isShown { ProgressLine.say("") }
    }
}

extension Session {
    private func hearing<Value>(_ output: OutputOptions, _ body: (RemovalLog) throws -> Value) throws -> Value {
        let log = RemovalLog(isQuiet: output.json)
        try perform {
            mam_set_log(
                $0, Int32(MAM_LOG_INFO),
                { user, level, line in
                    guard let user, let line else { return }
                    Unmanaged<RemovalLog>.fromOpaque(user).takeUnretainedValue().hear(level, String(cString: line))
                }, Unmanaged.passUnretained(log).toOpaque())
        }
        // The session holds an unretained pointer.
        defer { withExtendedLifetime(log) { _ = status { mam_set_log($0, Int32(MAM_LOG_ERROR), nil, nil) } } }
        defer { log.clear() }
        return try body(log)
    }

    /// Start an operation that may wipe, and wait for it.
    func operateShowingRemovals(
        _ output: OutputOptions, _ call: (OpaquePointer, UnsafeMutablePointer<Int64>) -> mam_status
    ) throws -> String {
        try hearing(output) { _ in try operate(call) }
    }

    /// Carry out due work, then check in one account, or with nil every enrolled one. Returns the statuses to report: one of each
    /// account that was wiped, and that of the check-in, unless a wipe has left it no account.
    func checkIn(_ account: String?, _ output: OutputOptions) throws -> [JSON] {
        let before = try JSON(parsing: text { mam_diagnostics($0, $1) })
        return try hearing(output) { log in
            try perform { mam_run_due($0) }
            let isAlone = try account == nil && text { mam_enrolled_accounts($0, $1) } == "[]"
            let reply = isAlone ? nil : try JSON(parsing: operate { mam_check_in($0, account, $1) })
            let known = before["accounts"].elements + before["wipes"].elements
            let wiped = log.wiped.map { id in
                Session.wiped(
                    known.first { $0["account"] == .string(id) } ?? .null, isFinished: !log.unfinished.contains(id))
            }
            guard let reply else { return wiped }
            // A wipe that the reply reports has ended meanwhile.
            let others = wiped.filter {
                reply["code"] != .number(102) || $0["accountId"] != reply["accountId"]
            }
            return others + (others.isEmpty || !Session.isOfNobody(reply) ? [reply] : [])
        }
    }

    /// Whether a check-in found no account, or not the one that it was for.
    private static func isOfNobody(_ status: JSON) -> Bool {
        [.number(213), .number(214)].contains(status["code"])
    }

    private static func wiped(_ account: JSON, isFinished: Bool) -> JSON {
        .members([
            "accountId": account["accountId"], "upn": account["upn"],
            "identity": account["upn"] == .null ? account["accountId"] : account["upn"],
            "code": .number(isFinished ? 104 : 215),
            "name": .string(isFinished ? "unenrollmentSuccess" : "failedToClearMamData"),
            "didSucceed": .bool(isFinished),
            "message": .string(
                isFinished
                    ? "wiped: nothing of it can be opened any more"
                    : "wiped, but files could not be removed: no call opens them, and they are removed once that is possible"
            ),
        ])
    }
}
