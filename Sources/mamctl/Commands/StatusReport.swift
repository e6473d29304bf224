import CMam
import MAMValues

/// The JSON object of `mamctl status`. Scripts rely on it: keys may be added, but not removed or given another type (docs/shell.md,
/// Tests/Shell/status-shape.txt).
struct StatusReport {
    let json: JSON

    init(of session: Session, _ sources: [Configuration.Value]) throws {
        let settings = try JSON(parsing: session.text { mam_settings($0, $1) })
        let diagnosis = try JSON(parsing: session.text { mam_diagnostics($0, $1) })
        let now = ProcessEnvironment.now
        let accounts = try JSON(parsing: session.text { mam_registered_accounts($0, $1) }).elements
            .map { try StatusReport.account($0, session, now: now) }
        let wipes = diagnosis["wipes"].elements
        let unenrollments = diagnosis["unenrollments"].elements
        let closed = diagnosis["closedAccounts"].elements
        let isReachable = diagnosis["authority"]["problem"] == .null
        let critical =
            try StatusReport.problem(ofAuthority: diagnosis["authority"]) + StatusReport.problems(ofBlocked: session)
            + closed.map { .members(["account": .null, "code": .null, "message": $0["message"]]) }
        let warnings =
            accounts.compactMap(StatusReport.problem) + wipes.map(StatusReport.problem(ofWipe:))
            + StatusReport.problem(ofUnenrollments: unenrollments)
        let problems =
            StatusReport.problem(ofTest: diagnosis["testPolicy"]).map { StatusReport.rated(false, $0) }
            + critical.map { StatusReport.rated(true, $0) } + warnings.map { StatusReport.rated(false, $0) }
        json = .members([
            "time": .string(now),
            "app": settings["app"],
            "stateDirectory": settings["stateDirectory"],
            "authority": diagnosis["authority"],
            "testPolicy": diagnosis["testPolicy"],
            "identity": try ProcessEnvironment.identity().map(JSON.string) ?? .null,
            "managed": .bool(accounts.contains { $0["managed"] == .bool(true) }),
            "allowedAccounts": try JSON(parsing: session.text { mam_allowed_accounts($0, $1) }),
            "mdmAccount": try JSON(parsing: session.text { mam_mdm_account($0, $1) }),
            "accounts": .array(accounts),
            "wipes": .array(wipes),
            "unenrollments": .array(unenrollments),
            "configuration": StatusReport.configuration(sources, settings),
            "health": .string(isReachable ? problems.isEmpty ? "fine" : "attention" : "unreachable"),
            "problems": .array(problems),
        ])
    }

    /// Each value in force that selects the session, and where it comes from.
    private static func configuration(_ sources: [Configuration.Value], _ settings: JSON) -> JSON {
        var values = sources.map { value in
            JSON.members([
                "key": .string(value.key.rawValue), "value": .string(value.text),
                "source": .string(value.source.rawValue),
                "origin": .string(value.origin), "final": .bool(value.isFinal),
            ])
        }
        let standards: KeyValuePairs<ConfigurationKey, JSON> = [
            .group: settings["app"]["group"], .state: settings["stateDirectory"],
        ]
        for (key, value) in standards where !sources.contains(where: { $0.key == key }) {
            values.append(
                .members([
                    "key": .string(key.rawValue), "value": value, "source": .string("default"),
                    "origin": .string("default"), "final": .bool(false),
                ]))
        }
        return .array(values)
    }

    /// A problem closes data or leaves policy out of reach, or is less than that.
    private static func rated(_ isCritical: Bool, _ problem: JSON) -> JSON {
        .object(problem.members + [("severity", .string(isCritical ? "critical" : "warning"))])
    }

    /// An account of libmam, with a summary of its policy.
    private static func account(_ account: JSON, _ session: Session, now: String) throws -> JSON {
        let name = account["accountId"].string ?? account["upn"].string ?? ""
        let policy = try JSON(parsing: session.policy(of: name))
        let isDue = account["nextCheckIn"].string.map { $0 <= now } ?? false
        let added: [JSON.Member] = [
            ("due", .bool(isDue)),
            ("lockDown", policy["lockDown"]),
            ("policies", .array(policy["policies"].elements)),
            ("settings", .number(policy["settings"].elements.count)),
        ]
        return .object(account.members + added)
    }

    /// A test policy always needs attention: its answers are not the organisation's.
    private static func problem(ofTest test: JSON) -> [JSON] {
        guard test != .null else { return [] }
        let path = Text.value(test["path"])
        let message =
            test["inForce"] == .bool(true)
            ? "TEST POLICY: answers come from \(path), not from the organisation"
            : "the test policy \(path) is switched off: DebugEnabled is false"
        let unused = test["notes"].elements.map { Text.value($0["key"]) }
        let more = unused.isEmpty ? "" : "; without effect: \(unused.joined(separator: ", "))"
        return [.members(["account": test["account"], "code": .null, "message": .string(message + more)])]
    }

    private static func problem(ofAuthority authority: JSON) -> [JSON] {
        guard authority["problem"] != .null else { return [] }
        return [.members(["account": .null, "code": .null, "message": authority["problem"]])]
    }

    /// The problem of an account; nil where there is none.
    private static func problem(_ account: JSON) -> JSON? {
        guard let code = account["lastCode"].integer, code >= 200 else { return nil }
        // Recorded by a release without messages.
        let message = account["lastMessage"].string ?? "its last request failed"
        return .members([
            "account": .string(account["upn"].string ?? account["accountId"].string ?? ""),
            "code": .integer(code), "message": .string(message),
        ])
    }

    /// Accounts that are blocked by what the session knows of them. Those whose data does not open or is being wiped have lines
    /// elsewhere.
    private static func problems(ofBlocked session: Session) throws -> [JSON] {
        try JSON(parsing: session.text { mam_blocked_accounts($0, $1) }).elements.compactMap { account in
            guard let name = account["accountId"].string ?? account["upn"].string else { return nil }
            let look = try JSON(parsing: session.text { mam_conditional_launch($0, name, $1) })
            let closing = look["findings"].elements.first { $0["action"] != .string("warn") }
            guard let closing, !["account", "wipe"].contains(closing["check"].string) else { return nil }
            return .members([
                "account": .string(account["upn"].string ?? name), "code": .null, "message": closing["message"],
            ])
        }
    }

    private static func problem(ofUnenrollments unenrollments: [JSON]) -> [JSON] {
        guard let first = unenrollments.first else { return [] }
        let count = unenrollments.count
        let what = count == 1 ? "an account that was unenrolled" : "\(count) accounts that were unenrolled"
        let message = "the authority has not heard of \(what): it is told again at \(Text.value(first["nextReport"]))"
        return [
            .members([
                "account": count == 1 ? .string(first["upn"].string ?? Text.value(first["accountId"])) : .null,
                "code": .null, "message": .string(message),
            ])
        ]
    }

    private static func problem(ofWipe wipe: JSON) -> JSON {
        let report = wipe["nextReport"].string.map { "the authority is told again at \($0)" }
        let message = "a wipe is open (\(Text.value(wipe["reason"]))): \(report ?? "the next open carries it on")"
        return .members(["account": wipe["accountId"], "code": .null, "message": .string(message)])
    }
}
