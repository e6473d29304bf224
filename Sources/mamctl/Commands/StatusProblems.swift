import CMam
import MAMValues

/// Problems of a session that need somebody's attention, and notes that are only worth knowing. Each has "account", "code", "kind" and "message":
/// `kind` says what it is about, and of an account that a launch check closes is the check.
struct StatusProblems {
    /// The authority cannot be asked, or data is closed.
    private(set) var critical: [JSON] = []
    private(set) var warnings: [JSON] = []
    private(set) var notes: [JSON] = []

    /// All problems with "severity": a test policy first, then what is critical.
    var rated: [JSON] {
        func rate(_ severity: String) -> (JSON) -> JSON {
            { .object($0.members + [("severity", .string(severity))]) }
        }
        let test = warnings.filter { $0["kind"] == .string("testPolicy") }
        let others = warnings.filter { $0["kind"] != .string("testPolicy") }
        return test.map(rate("warning")) + critical.map(rate("critical")) + others.map(rate("warning"))
    }

    init(_ session: Session, _ diagnosis: JSON, _ accounts: [JSON]) throws {
        add(authority: diagnosis["authority"], isManaged: accounts.contains { $0["managed"] == .bool(true) })
        add(disk: Text.value(diagnosis["state"]["directory"]))
        try addBlocked(session)
        for closed in diagnosis["closedAccounts"].elements { add(closed: closed) }
        add(test: diagnosis["testPolicy"])
        for account in accounts {
            add(account)
            try addLaunch(of: account, session)
        }
        for wipe in diagnosis["wipes"].elements { add(wipe: wipe) }
        add(unenrollments: diagnosis["unenrollments"].elements)
    }

    private static func problem(_ kind: String, _ account: String?, _ message: JSON, code: JSON = .null) -> JSON {
        .members(["account": .optional(account), "code": code, "kind": .string(kind), "message": message])
    }

    private static func problem(_ kind: String, _ account: String?, _ message: String, code: JSON = .null) -> JSON {
        problem(kind, account, .string(message), code: code)
    }

    /// The note of an app without a state, which is not the same as one without accounts.
    static func neverRun(_ message: String) -> JSON { problem("neverRun", nil, message) }

    /// A remark that needs attention, as in ``rated``.
    static func warning(_ remark: JSON) -> JSON { .object(remark.members + [("severity", .string("warning"))]) }

    /// The problem of an authority that cannot be asked, as in ``rated``.
    static func unreachable(_ message: JSON) -> JSON {
        .object(problem("authority", nil, message).members + [("severity", .string("critical"))])
    }

    private mutating func add(authority: JSON, isManaged: Bool) {
        guard authority["problem"] == .null else {
            let path = authority["path"].string
            let secret = path.flatMap { SecretFile($0) }.map { "; it \($0.message)" }
            let remedy =
                secret ?? path.flatMap { AccessCommands.toReadAuthority($0) }.map { "; to open it: \($0)" } ?? ""
            return critical.append(
                StatusProblems.problem("authority", nil, Text.value(authority["problem"]) + remedy))
        }
        if let reason = authority["custodyReason"].string {
            let message =
                "the custody of the authority is development, because \(reason): such a user can change the policy"
            let problem = StatusProblems.problem("custody", nil, message)
            if AccessCommands.isOpenToOthers(Text.value(authority["path"])) {
                warnings.append(problem)
            } else {
                notes.append(problem)
            }
        } else if isManaged, authority["custody"] == .string("administered") {
            notes.append(
                StatusProblems.problem(
                    "custody", nil,
                    "the authority can only be read here: a wipe that an administrator requests is done at the next check-in, and "
                        + "never shown there as done; mamctl events has wipeDidComplete"))
        }
    }

    /// On a full disk data stays readable, but no check-in, and so no policy, can be stored.
    private mutating func add(disk directory: String) {
        guard let free = StateCheck.freeBytes(directory), free < StateCheck.leastFree else { return }
        let left = "the state's disk has \(free >> 10) KiB left"
        let problem = StatusProblems.problem(
            "disk", nil,
            free < StateCheck.leastForCheckIn
                ? "\(left): nothing can be stored, and check-ins fail; mamctl doctor shows what fills it"
                : "\(left); libmam needs \(StateCheck.leastFree >> 20) MiB")
        if free < StateCheck.leastForCheckIn { critical.append(problem) } else { warnings.append(problem) }
    }

    /// A test policy always needs attention: its answers are not the organisation's.
    private mutating func add(test: JSON) {
        guard test != .null else { return }
        let path = Text.value(test["path"])
        let message =
            test["inForce"] == .bool(true)
            ? "TEST POLICY: answers come from \(path), not from the organisation"
            : "the test policy \(path) is switched off: DebugEnabled is false"
        let unused = test["notes"].elements.map { Text.value($0["key"]) }
        let more = unused.isEmpty ? "" : "; without effect: \(unused.joined(separator: ", "))"
        warnings.append(StatusProblems.problem("testPolicy", test["account"].string, message + more))
    }

    /// An account of an authority that was given up keeps its data closed, and launches say so until it is enrolled there again or wiped.
    private mutating func add(closed: JSON) {
        let name = closed["upn"].string ?? closed["accountId"].string
        if closed["detail"]["authority"] != .null {
            critical.append(StatusProblems.problem("givenUp", name, closed["message"]))
        } else {
            critical.append(StatusProblems.problem("closed", name, closed["message"]))
        }
    }

    /// Checks that a monitor does not report: other problems say it, it ends by itself, or only the program knows its own version.
    private static let unreported = ["account", "wipe", "offline", "clockedOut", "appVersion", "library"]

    /// Settings of a managed account whose value nobody understands, and what keeps its next launch from opening it. Nothing is closed
    /// before that launch.
    private mutating func addLaunch(of account: JSON, _ session: Session) throws {
        guard account["managed"] == .bool(true), let id = account["accountId"].string else { return }
        let name = account["upn"].string ?? id
        let policy = try JSON(parsing: session.policy(of: id))
        for setting in policy["settings"].elements {
            for misread in setting["misreadIn"].elements {
                let source = policy["policies"].elements.first { $0["id"] == misread }?["name"].string
                warnings.append(
                    StatusProblems.problem(
                        "setting", name,
                        "the value of \(Text.value(setting["setting"])) in the policy \(source ?? Text.value(misread)) is none that "
                            + "libmam understands, so that it counts as the strictest; correct it and import the policy again"
                    ))
            }
        }
        guard !critical.contains(where: { $0["account"] == .string(name) }) else { return }
        let look = try JSON(parsing: session.text { mam_conditional_launch($0, id, $1) })
        for finding in look["findings"].elements {
            guard let check = finding["check"].string, !StatusProblems.unreported.contains(check) else { continue }
            let message = Text.value(finding["message"])
            switch finding["action"].string {
            case "block": warnings.append(StatusProblems.problem(check, name, "the next launch is blocked: \(message)"))
            case "wipe": warnings.append(StatusProblems.problem(check, name, "the next launch wipes it: \(message)"))
            case "prompt" where StatusProblems.asksForSignIn(finding):
                warnings.append(
                    StatusProblems.problem(
                        check, name,
                        "\(message); nothing opens before a launch in which the person does (mamctl launch)"))
            default: break
            }
        }
    }

    /// Whether a prompt is not the one of every launch: the person was away for too long, or has used up the attempts at the PIN.
    private static func asksForSignIn(_ finding: JSON) -> Bool {
        finding["setting"] == .string("periodOfflineBeforeWipeIsEnforced")
            || finding["messageKey"] == .string("pinUsedUp")
    }

    /// Accounts that are blocked by what the session knows of them. Those whose data does not open or is being wiped have lines
    /// elsewhere; a prompt closes nothing before a launch.
    private mutating func addBlocked(_ session: Session) throws {
        for account in try JSON(parsing: session.text { mam_blocked_accounts($0, $1) }).elements {
            guard let name = account["accountId"].string ?? account["upn"].string else { continue }
            let look = try JSON(parsing: session.text { mam_conditional_launch($0, name, $1) })
            let closing = look["findings"].elements.first { ["block", "wipe"].contains($0["action"].string) }
            guard let closing, !["account", "wipe"].contains(closing["check"].string) else { continue }
            critical.append(
                StatusProblems.problem(
                    Text.value(closing["check"]), account["upn"].string ?? name, closing["message"]))
        }
    }

    /// The codes of an account that the authority knows and does not manage: no licence, or no policy targeted. Its app may be used
    /// with it, so that monitors need not call anybody (docs/status-codes.md).
    private static let unmanaged: [Int64: String?] = [
        200: nil, 225: nil,
    ]
    private static let unprotectedMessage =
        "no policy reaches the user in this app any more, so nothing restricts the account and nothing protects what it saves from now "
        + "on; assign a policy, or mamctl unenroll the account"

    private mutating func add(_ account: JSON) {
        let name = account["upn"].string ?? account["accountId"].string ?? ""
        if let code = account["lastCode"].integer {
            // Recorded by a release without messages.
            let message = account["lastMessage"].string ?? "its last request failed"
            if code == 103, account["state"] == .string("enrolled"), account["managed"] != .bool(true) {
                warnings.append(
                    StatusProblems.problem("status", name, StatusProblems.unprotectedMessage, code: .integer(code)))
            } else if let words = StatusProblems.unmanaged[code], account["managed"] != .bool(true) {
                notes.append(StatusProblems.problem("status", name, words ?? message, code: .integer(code)))
            } else if code >= 200 {
                warnings.append(StatusProblems.problem("status", name, message, code: .integer(code)))
            }
        }
        if let late = CheckInTimes(account)?.problem {
            warnings.append(StatusProblems.problem(late.kind, name, late.message))
        }
    }

    private mutating func add(unenrollments: [JSON]) {
        guard let first = unenrollments.first else { return }
        let count = unenrollments.count
        let what = count == 1 ? "an account that was unenrolled" : "\(count) accounts that were unenrolled"
        warnings.append(
            StatusProblems.problem(
                "unenrollment", count == 1 ? first["upn"].string ?? Text.value(first["accountId"]) : nil,
                "the authority has no report of \(what) yet: the next attempt is at \(Text.value(first["nextReport"]))")
        )
    }

    private mutating func add(wipe: JSON) {
        let report = wipe["nextReport"].string.map { "it is reported to the authority again at \($0)" }
        if let left = wipe["filesLeft"].integer, left > 0, wipe["step"] == .number(3) {
            let message =
                "a wipe could not remove all files (\(left) left): no call opens them; mamctl events --json names them, and the "
                + "next open tries again"
            return warnings.append(StatusProblems.problem("wipe", wipe["accountId"].string, message))
        }
        let message = "a wipe is open (\(Text.value(wipe["reason"]))): \(report ?? "the next open carries it on")"
        warnings.append(StatusProblems.problem("wipe", wipe["accountId"].string, message))
    }
}
