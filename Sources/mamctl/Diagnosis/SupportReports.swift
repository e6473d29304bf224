import CMam
import MAMValues

/// Reports on every app of a group for a support person, as they are: with names of people, and values that may be secret.
struct SupportReports {
    /// A member of the archive.
    struct Report {
        /// nil for the group.
        let app: String?
        let name: String
        let json: JSON
    }

    let group: String
    let directory: String
    let apps: [String]
    private(set) var reports: [Report] = []
    /// The parts that could not be collected, which keep no other part from the archive.
    private(set) var failures: [JSON] = []

    init(_ session: SessionOptions) throws {
        let (app, group) = try session.appAndGroup()
        let directory = "\(try session.stateDirectory)/\(group)"
        (self.group, self.directory) = (group, directory)
        guard attributes(directory) != nil else {
            throw CommandError.failed(
                "\(directory): there is no state of the group \(group)", status: MAM_ERR_NOT_FOUND)
        }
        var results: [Result<[Report], any Error>] = []
        // Before any session is opened, which changes what these find.
        results.append(Result { [Report(app: nil, name: "doctor", json: try Doctor.examined(session))] })
        results.append(Result { [Report(app: nil, name: "files", json: StateFiles.json(directory))] })
        var names = Set(StateFiles.appsWithLog(directory) + [app])
        // Opening a session would create a state.
        let hasState = session.hasState
        if hasState {
            let registry = Result {
                try Session.open(session) { try JSON(parsing: $0.text { mam_managed_apps($0, $1) }) }
            }
            names.formUnion(((try? registry.get())?.elements ?? []).compactMap { $0["appId"].string })
            results.append(registry.map { [Report(app: nil, name: "managed-apps", json: $0)] })
        }
        apps = names.sorted()
        for result in results { note(result, nil) }
        guard hasState else { return }
        for app in apps {
            note(Result { try SupportReports.reports(of: app, session.of(app, in: group)) }, app)
        }
    }

    private mutating func note(_ result: Result<[Report], any Error>, _ app: String?) {
        switch result {
        case .success(let found): reports += found
        case .failure(let error):
            let message = (error as? CommandError)?.message ?? "it could not be collected"
            failures.append(.members(["app": .optional(app), "message": .string(message)]))
        }
    }

    private static func reports(of app: String, _ options: SessionOptions) throws -> [Report] {
        try Session.open(options) { session in
            let diagnosis = try JSON(parsing: session.text { mam_diagnostics($0, $1) })
            let settings = try session.settings()
            let status = try StatusReport(of: session, options.sources()).json
            let policies = try diagnosis["accounts"].elements.map { account in
                let name = account["accountId"].string ?? account["upn"].string ?? ""
                return Report(
                    app: app, name: "policy-\(Text.value(account["account"]))",
                    json: try JSON(parsing: session.policy(of: name)))
            }
            return [
                Report(app: app, name: "diagnostics", json: diagnosis),
                Report(app: app, name: "settings", json: settings),
                Report(app: app, name: "status", json: status),
            ] + policies
        }
    }

    /// The reports of one name.
    func all(_ name: String) -> [Report] { reports.filter { $0.name == name } }
}
