import ArgumentParser

/// What an account's name is that nobody registered.
enum UnknownIdentities: String, ExpressibleByArgument, CaseIterable {
    case unmanaged, error
}

/// Which app's session a command works in.
struct SessionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The app's id (default: $MAM_APP).", valueName: "id"))
    var app: String?

    @Option(help: ArgumentHelp("The group of apps that share a state (default: the app's id).", valueName: "id"))
    var group: String?

    @Option(
        help: ArgumentHelp(
            "The state directory (default: $MAM_STATE, else $XDG_STATE_HOME/libmam, else ~/.local/state/libmam).",
            valueName: "directory"))
    var state: String?

    @Option(help: ArgumentHelp("The authority's file (default: $MAM_AUTHORITY).", valueName: "file"))
    var authority: String?

    @Option(
        help: ArgumentHelp(
            "IntuneMAMSettings keys as a JSON object, @FILE to read it from a file.", valueName: "json"))
    var settings: String?

    @Option(
        help: ArgumentHelp(
            "What a name is that nobody registered: an unmanaged user, or an error (default: unmanaged).",
            valueName: "what"))
    var unknownIdentities: UnknownIdentities?

    /// The settings_json of mam_open.
    func settingsForOpening(asksByEvents: Bool = false) throws -> String {
        guard let app = try app ?? Surroundings.variable("MAM_APP") else {
            throw Failure.usage("which app? Give --app ID or set MAM_APP")
        }
        guard let authority = try authority ?? Surroundings.variable("MAM_AUTHORITY") else {
            throw Failure.usage("which authority? Give --authority FILE or set MAM_AUTHORITY")
        }
        let state = try state ?? Surroundings.variable("MAM_STATE")
        return JSON.members([
            "app": .members(["id": .string(app), "group": group.map(JSON.string)]),
            "stateDirectory": try state.map { .string(try Surroundings.absolutePath($0)) },
            "authority": .members([
                "type": .string("embedded"), "path": .string(try Surroundings.absolutePath(authority)),
            ]),
            "settings": try settings.map { try Input.json($0, option: "--settings") },
            "worker": .bool(false),
            "questions": asksByEvents ? .string("events") : nil,
            "unknownIdentities": unknownIdentities.map { .string($0.rawValue) },
        ]).text
    }
}
