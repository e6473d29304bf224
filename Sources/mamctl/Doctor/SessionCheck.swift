import CMam
import MAMValues

/// The app's state as `mamctl status` reads it: accounts, wipes, keys.
struct SessionCheck {
    private(set) var findings: [Finding] = []
    private(set) var diagnosis = JSON.null
    private(set) var remedy: Remedy
    /// Why another app or group may be meant, where no account was ever enrolled in this one.
    private(set) var doubt: String?
    private let group: String

    /// `group` is the path of the group's directory.
    init(_ options: SessionOptions, group: String, authority: AuthorityCheck) throws {
        self.group = group
        remedy = Remedy(words: options.words, authority: authority)
        do {
            try Session.open(options.takenAsMeant) { session in
                diagnosis = try JSON(parsing: session.text { mam_diagnostics($0, $1) })
                let report = try StatusReport(of: session, options.sources()).json
                remedy.read(diagnosis, report["accounts"].elements)
                for problem in report["problems"].elements { try add(problem, options) }
                for note in report["notes"].elements { add(note: note) }
                check(diagnosis)
                if try !session.wasEverEnrolled() { doubt = try options.doubt() }
            }
        } catch let error as CommandError {
            findings.append(
                Finding(
                    check: mam_last_status() == MAM_ERR_UNSUPPORTED ? "shared memory" : "state", severity: .critical,
                    message: error.message ?? "", subject: group,
                    command: remedy.toOpen(
                        group, status: Int(mam_last_status()),
                        file: error.json.flatMap { try? JSON(parsing: $0) }?["detail"]["path"].string)))
        }
    }

    private mutating func add(_ problem: JSON, _ options: SessionOptions) throws {
        let kind = problem["kind"].string
        // AuthorityCheck has found the one, StateCheck the other.
        guard kind != "authority", kind != "disk" else { return }
        // A request failed because of the authority's fault, which has a finding.
        let isConsequence = [204, 205, 206, 212, 216].contains(problem["code"].integer ?? 0)
        guard kind != "status" || !isConsequence || diagnosis["authority"]["problem"] == .null else { return }
        guard kind != "custody" else { return add(custody: problem, .warning) }
        guard kind != "testPolicy" else {
            let value = try Configuration.value(.testPolicy, option: options.testPolicy)
            return findings.append(
                Finding(
                    check: "test policy", message: Text.value(problem["message"]),
                    subject: Text.value(diagnosis["testPolicy"]["path"]),
                    command: value.map(ConfigurationCheck.command)))
        }
        findings.append(
            Finding(
                check: kind == "clock" ? "clock" : "accounts", message: Text.value(problem["message"]),
                subject: problem["account"].string ?? Text.value(diagnosis["app"]["id"]),
                command: remedy.command(problem)))
    }

    private mutating func add(custody: JSON, _ severity: Finding.Severity) {
        let path = Text.value(diagnosis["authority"]["path"])
        findings.append(
            Finding(
                check: "custody", severity: severity, message: Text.value(custody["message"]), subject: path,
                command: AccessCommands.toProtect(path)))
    }

    private mutating func add(note: JSON) {
        guard note["kind"] != .string("custody") else { return add(custody: note, .note) }
        findings.append(
            Finding(
                check: "accounts", severity: .note, message: Text.value(note["message"]),
                subject: Text.value(note["account"]),
                command: note["kind"] == .string("status") ? remedy.command(note) : nil))
    }

    private mutating func check(_ diagnosis: JSON) {
        if diagnosis["authority"]["type"] == .string("https") {
            let reached = diagnosis["authority"]["lastReached"].string
            findings.append(
                Finding(
                    check: "authority", severity: .note,
                    message: reached.map { "a check-in was last answered at \($0)" }
                        ?? "no check-in of an account that is here was answered yet",
                    subject: Text.value(diagnosis["authority"]["url"]), command: nil))
        }
        if diagnosis["keyMemory"]["locked"] == .bool(false) {
            findings.append(
                Finding(
                    check: "keys", message: "memory for keys cannot be locked, so that it may be swapped to disk",
                    subject: "RLIMIT_MEMLOCK", command: Remedy.toAllowLockedMemory))
        }
        if let count = diagnosis["unlistedShares"]["count"].integer, count > 0 {
            findings.append(
                Finding(
                    check: "keys", message: "\(count) keys are there that no account has", subject: "shares",
                    command: Remedy.toRestore("\(group)/state.db", in: group)
                        + "  # the newest one; without it check in, then: mamctl purge --yes\(remedy.words)"))
        }
    }
}
