import CMam
import MAMValues

/// The app's state as `mamctl status` reads it: accounts, wipes, keys.
struct SessionCheck {
    private(set) var findings: [Finding] = []
    private(set) var diagnosis = JSON.null
    /// licensedNotTargeted: another check-in alone changes nothing.
    private static let notTargeted: Int64 = 225

    /// `group` is the path of the group's directory; `knowsAuthority` whether the authority's faults are found already.
    init(_ options: SessionOptions, group: String, knowsAuthority: Bool) throws {
        let words = options.words
        do {
            try Session.open(options) { session in
                diagnosis = try JSON(parsing: session.text { mam_diagnostics($0, $1) })
                let report = try StatusReport(of: session, options.sources()).json
                for problem in report["problems"].elements { add(problem, knowsAuthority, words) }
                check(diagnosis, report, words)
            }
        } catch let error as CommandError {
            let isShared = mam_last_status() == MAM_ERR_UNSUPPORTED
            let users = "fuser -v \(Finding.quoted("\(group)/generation"))"
            findings.append(
                Finding(
                    check: isShared ? "shared memory" : "state", severity: .critical, message: error.message ?? "",
                    subject: group, command: isShared ? "\(users)  # and end them" : "mamctl status\(words)"))
        }
    }

    private mutating func add(_ problem: JSON, _ knowsAuthority: Bool, _ words: String) {
        let message = Text.value(problem["message"])
        let account = problem["account"].string
        let isAuthority = problem["account"] == .null && problem["severity"] == .string("critical")
        if isAuthority, knowsAuthority, message == diagnosis["authority"]["problem"].string { return }
        let isTest = diagnosis["testPolicy"] != .null && message.contains(Text.value(diagnosis["testPolicy"]["path"]))
        findings.append(
            Finding(
                check: isTest ? "test policy" : "accounts", message: message,
                subject: isTest
                    ? Text.value(diagnosis["testPolicy"]["path"]) : account ?? Text.value(diagnosis["app"]["id"]),
                command: isTest ? "unset MAM_TEST_POLICY" : command(problem, words)))
    }

    private func command(_ problem: JSON, _ words: String) -> String {
        guard problem["code"] == .integer(SessionCheck.notTargeted) else { return "mamctl checkin\(words)" }
        let authority = Text.value(diagnosis["authority"]["path"])
        let account = Text.value(problem["account"])
        return "mamctl authority policy assign POLICY --group GROUP --authority \(Finding.quoted(authority))"
            + "  # by its owner; then mamctl enroll \(Finding.quoted(account))\(words)"
    }

    private mutating func check(_ diagnosis: JSON, _ report: JSON, _ words: String) {
        if diagnosis["keyMemory"]["locked"] == .bool(false) {
            findings.append(
                Finding(
                    check: "keys", message: "memory for keys cannot be locked, so that it may be swapped to disk",
                    subject: "RLIMIT_MEMLOCK", command: "ulimit -l unlimited"))
        }
        if let count = diagnosis["unlistedShares"]["count"].integer, count > 0 {
            findings.append(
                Finding(
                    check: "keys", message: "\(count) keys are there that no account has", subject: "shares",
                    command: "mamctl purge --yes\(words)"))
        }
        let now = Text.value(report["time"])
        for account in report["accounts"].elements {
            guard let last = account["lastCheckIn"].string, let then = RelativeTime.seconds(of: last),
                let here = RelativeTime.seconds(of: now), then - here > 300
            else { continue }
            findings.append(
                Finding(
                    check: "clock",
                    message: "its last check-in is in the future (\(last)): this computer's clock went back",
                    subject: account["upn"].string ?? Text.value(account["accountId"]),
                    command: "\(Finding.sudo(0))timedatectl set-ntp true"))
        }
    }
}
