import CMam
import Glibc
import MAMValues

/// The status of an app that has no state here. Opening a session would make one, so the authority alone is asked.
extension StatusReport {
    /// Nil where the app has a state, or where only opening it says why it has none; also for a test policy, which a session applies.
    init?(ofNeverRun options: SessionOptions) throws {
        let (app, group) = try options.appAndGroup()
        let directory = try options.stateDirectory
        guard AppId.isValid(app), AppId.isValid(group),
            try Configuration.value(.testPolicy, option: options.testPolicy) == nil
        else { return nil }
        let state = "\(directory)/\(group)"
        guard !StateCheck.hasLostDatabase(state) else {
            throw CommandError.failed(
                "\(state)/state.db: is gone or empty, but shares of accounts are still there; mamctl doctor\(options.words) names "
                    + "what mends it", status: MAM_ERR_STORAGE)
        }
        guard try options.isNeverRun() else { return nil }
        let path = try SessionOptions.authorityPath(options.authority)
        let problem =
            SessionOptions.isService(path)
            ? nil : AuthorityCheck.failure(path).map { ($0.error as? CommandError)?.message ?? "\($0.error)" }
        let settings: JSON = [
            "app": [
                "id": .string(app), "version": .null, "group": .string(group), "containingApp": .null, "extensions": [],
            ], "stateDirectory": .string(directory),
        ]
        let (message, isMisspelt) = try options.neverRun()
        let remark = StatusProblems.neverRun(message)
        var problems = problem.map { [StatusProblems.unreachable(.string($0))] } ?? []
        if isMisspelt { problems.append(StatusProblems.warning(remark)) }
        json = .members([
            "time": .string(ProcessEnvironment.now),
            "app": settings["app"],
            "stateDirectory": settings["stateDirectory"],
            "stateExists": .bool(false),
            "authority": try StatusReport.authority(path, problem),
            "testPolicy": .null,
            "identity": try ProcessEnvironment.identity().map(JSON.string) ?? .null,
            "managed": .bool(false),
            "allowedAccounts": .null,
            "mdmAccount": .null,
            "accounts": [], "wipes": [], "unenrollments": [],
            "configuration": StatusReport.configuration(try options.sources(), settings),
            "health": .string(problem != nil ? "unreachable" : isMisspelt ? "attention" : "fine"),
            "problems": .array(problems),
            "notes": .array(isMisspelt ? [] : [remark]),
        ])
    }

    /// The report of an app with a state. Where no account was ever enrolled in it, another app or group may be meant, as without a state.
    static func json(_ options: SessionOptions) throws -> JSON {
        try Session.open(options.takenAsMeant) { session in
            let report = try StatusReport(of: session, options.sources()).json
            guard try !session.wasEverEnrolled(), let message = try options.doubt() else { return report }
            let problem = StatusProblems.warning(StatusProblems.neverRun(message))
            return .object(
                report.members.map { name, value in
                    switch name {
                    case "problems": (name, .array(value.elements + [problem]))
                    case "health" where value == .string("fine"): (name, .string("attention"))
                    default: (name, value)
                    }
                })
        }
    }

    /// The authority as a session would describe it. A service is not asked, because only an account's requests are answered.
    private static func authority(_ path: String, _ problem: String?) throws -> JSON {
        guard !SessionOptions.isService(path) else {
            let settings = try SessionOptions.serviceSettings(path)
            return [
                "type": "https", "url": settings["url"], "custody": "service", "custodyReason": .null, "known": .null,
                "problem": .null, "lastReached": .null,
            ]
        }
        let shown =
            problem == nil ? try? JSON(parsing: Library.administer(path, #"{"action":"authority.show"}"#)) : nil
        return [
            "type": "embedded", "path": .string(path), "custody": shown?["custody"] ?? .null,
            "custodyReason": shown?["custodyReason"] ?? .null, "known": .null, "problem": .optional(problem),
        ]
    }
}
