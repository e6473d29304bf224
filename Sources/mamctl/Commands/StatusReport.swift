import CMam
import MAMValues

/// The JSON object of `mamctl status`. Scripts rely on it: keys may be added, but not removed or given another type (docs/shell.md,
/// Tests/Shell/status-shape.txt).
struct StatusReport {
    let json: JSON

    init(of session: Session, _ sources: [Configuration.Value]) throws {
        let settings = try session.settings()
        let diagnosis = try JSON(parsing: session.text { mam_diagnostics($0, $1) })
        let now = ProcessEnvironment.now
        let accounts = try JSON(parsing: session.text { mam_registered_accounts($0, $1) }).elements
            .map { try StatusReport.account($0, session) }
        let wipes = diagnosis["wipes"].elements
        let unenrollments = diagnosis["unenrollments"].elements
        let isReachable = diagnosis["authority"]["problem"] == .null
        let found = try StatusProblems(session, diagnosis, accounts)
        let problems = found.rated
        json = .members([
            "time": .string(now),
            "app": settings["app"],
            "stateDirectory": settings["stateDirectory"],
            "stateExists": .bool(true),
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
            "notes": .array(found.notes),
        ])
    }

    /// Each value in force that selects the session, and where it comes from.
    static func configuration(_ sources: [Configuration.Value], _ settings: JSON) -> JSON {
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

    /// An account of libmam, with a summary of its policy.
    private static func account(_ account: JSON, _ session: Session) throws -> JSON {
        let name = account["accountId"].string ?? account["upn"].string ?? ""
        let policy = try JSON(parsing: session.policy(of: name))
        let added: [JSON.Member] = [
            ("due", .bool(CheckInTimes(account)?.isDue ?? false)),
            ("lockDown", policy["lockDown"]),
            ("policies", .array(policy["policies"].elements)),
            ("settings", .number(policy["settings"].elements.count)),
        ]
        return .object(account.members + added)
    }
}
