import ArgumentParser
import CMam
import MAMValues

extension Policy {
    /// `mamctl policy simulate`
    struct Simulate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "simulate",
            abstract: "Say what importing policies, or other changes, would change for whom.",
            discussion: """
                FILE is imported into a copy of the authority, assigned and targeted as with 'authority policy \
                import'; then what --changes holds is done there: an array of requests of mam_admin. The \
                results of check-ins before and after are compared, and the answers of every predicate and location. \
                Launches that begin or stop to block or wipe come first; with --launch, whom a launch on such a \
                computer would wipe, block, warn or ask. \
                The authority is only read. The exit status is 3 where something gets looser, or no app is known. --html writes a page that \
                has every setting and decision that changes, with the reason and the message for the user.

                Example:
                  mamctl policy simulate strict.json --all-users --all-apps
                  mamctl policy simulate strict.json --all-users --all-apps --launch '{"device":{"version":"24.04"}}'
                """)

        @Argument(help: "The exported policies to import; - for standard input.", completion: .file())
        var file: String?

        @OptionGroup var type: ExportTypeOption

        @Flag(help: "Replace what has the same name and type, where the file gives it no id.")
        var replace = false

        @Option(
            name: [.customLong("group"), .customLong("assign-group")],
            help: ArgumentHelp("Assign them to this group; may be repeated.", valueName: "group"),
            completion: Completions.groups)
        var groups: [String] = []

        @Flag(help: "Assign them to all users.")
        var allUsers = false

        @Option(
            help: ArgumentHelp("Target them at this app; may be repeated.", valueName: "id"),
            completion: Completions.apps)
        var app: [String] = []

        @Flag(help: "Target them at all apps.")
        var allApps = false

        @Option(
            help: ArgumentHelp("Requests of mam_admin, a JSON array; - for standard input.", valueName: "file"),
            completion: .file())
        var changes: String?

        @Option(
            help: ArgumentHelp("Look at this user; may be repeated (default: all).", valueName: "user"),
            completion: Completions.users)
        var onlyUser: [String] = []

        @Option(
            help: ArgumentHelp("Look at this app; may be repeated (default: all that are known).", valueName: "id"),
            completion: Completions.apps)
        var onlyApp: [String] = []

        @Option(
            help: ArgumentHelp(
                "The questions to ask instead of all: requests as of 'check --request', without an account; @FILE reads them from a file.",
                valueName: "json"))
        var requests: String?

        @Option(help: ArgumentHelp("Whether computers have a lock (default: unknown).", valueName: "state"))
        var deviceLock: DeviceLock?

        @Option(
            help: ArgumentHelp(
                "Simulate launches too: the computer and person, as 'launch' of mam_policy_simulate; @FILE reads it from a file.",
                valueName: "json"))
        var launch: String?

        @OptionGroup var language: LanguageOption
        @OptionGroup var page: PageOptions
        @OptionGroup var authority: AuthorityOptions

        func validate() throws {
            try page.check(authority.output)
            guard file != nil || changes != nil else { throw ValidationError("Give FILE, --changes or both") }
            let adds = !groups.isEmpty || !app.isEmpty || allUsers || allApps
            guard file != nil || !(adds || replace || type.type != nil) else {
                throw ValidationError(
                    "--type, --replace, --group, --all-users, --app and --all-apps go with FILE")
            }
        }

        func run() throws {
            try language.choose()
            let path = try authority.path()
            let request = JSON.members([
                "changes": .array(try importing() + others()),
                "users": onlyUser.isEmpty ? nil : .array(onlyUser.map(JSON.string)),
                "apps": onlyApp.isEmpty ? nil : .array(onlyApp.map(JSON.string)),
                "requests": try requests.map { try Input.json($0, option: "--requests") },
                "deviceLock": deviceLock.map { .string($0.rawValue) },
                "launch": try launch.map { try Input.json($0, option: "--launch") },
            ])
            let reply = try Library.text { mam_policy_simulate(path, request.text, $0) }
            let report = try JSON(parsing: reply)
            if page.html {
                try page.write(SimulationPage.text(report, request: request, authority: path))
            } else {
                try authority.output.show(reply, SimulationReport.lines)
            }
            if SimulationReport.needsAttention(report) { throw CommandError.refused(nil) }
        }

        /// The actions that import, assign and target the file's policies.
        private func importing() throws -> [JSON] {
            guard let file else { return [] }
            let known = try JSON(parsing: authority.request("policy.list", [:]))["policies"].elements
            let candidates = PolicyIdAssigner(known: known, type: type.type, isReplacing: replace)
            let (document, ids) = candidates.named(try Input.jsonFile(file))
            var actions = [
                Simulate.action(
                    "import", ["document": document, "type": type.json, "replace": replace ? .bool(true) : nil])
            ]
            for id in ids {
                actions += groups.map { Simulate.action("assign", ["policy": id, "group": .string($0)]) }
                if allUsers { actions.append(Simulate.action("assign", ["policy": id, "allUsers": .bool(true)])) }
                actions += app.map { Simulate.action("target", ["policy": id, "app": .string($0)]) }
                if allApps { actions.append(Simulate.action("target", ["policy": id, "allApps": .bool(true)])) }
            }
            return actions
        }

        private func others() throws -> [JSON] {
            guard let changes else { return [] }
            guard case .array(let actions) = try Input.jsonFile(changes) else {
                throw CommandError.failed("\(changes): is no JSON array of requests", status: MAM_ERR_JSON)
            }
            return actions
        }

        private static func action(_ name: String, _ keys: KeyValuePairs<String, JSON?>) -> JSON {
            .object([("action", JSON.string("policy.\(name)"))] + JSON.members(keys).members)
        }
    }
}

/// The device lock, as in mam_open.
enum DeviceLock: String, ExpressibleByArgument, CaseIterable {
    case on, off, notApplicable, unknown
}
