import ArgumentParser
import Glibc
import MAMValues

/// How names of unregistered accounts are treated.
enum UnknownIdentities: String, ExpressibleByArgument, CaseIterable {
    case unmanaged, error
}

/// Options that select the session.
struct SessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The app's id (default: $MAM_APP).", valueName: "id"), completion: Completions.apps)
    var app: String?

    @Option(
        help: ArgumentHelp(
            "The group of apps that share a state (default: $MAM_GROUP, else the app's id).", valueName: "id"))
    var group: String?

    @Option(
        help: ArgumentHelp(
            "The state directory (default: $MAM_STATE, else $XDG_STATE_HOME/libmam, else ~/.local/state/libmam).",
            valueName: "directory"), completion: .directory)
    var state: String?

    @Option(
        help: ArgumentHelp(
            "The authority's file (default: $MAM_AUTHORITY, else /var/lib/mam/authority.db).", valueName: "file"),
        completion: .file())
    var authority: String?

    @Option(
        help: ArgumentHelp(
            "IntuneMAMSettings keys as a JSON object, @FILE to read it from a file (default: $MAM_SETTINGS).",
            valueName: "json"))
    var settings: String?

    @Option(
        help: ArgumentHelp(
            "An Info.plist with more of them; --settings goes before it (default: $MAM_INFO_PLIST).", valueName: "file"),
        completion: .file(extensions: ["plist"]))
    var infoPlist: String?

    @Option(
        help: ArgumentHelp(
            "A policy for development, where DebugSettingsEnabled is true (default: $MAM_TEST_POLICY).",
            valueName: "file"), completion: .file(extensions: ["plist"]))
    var testPolicy: String?

    @Option(
        help: ArgumentHelp(
            "How a name without account counts: as an unmanaged user, or as an error (default: "
                + "$MAM_UNKNOWN_IDENTITIES, else unmanaged).", valueName: "what"))
    var unknownIdentities: UnknownIdentities?

    @Flag(help: "The app may be new: without a state here it counts as one without accounts.")
    var newApp = false

    @Option(
        help: ArgumentHelp(
            "Append the telemetry events of this command to a file, - for standard error (default: $MAM_TELEMETRY).",
            valueName: "file"), completion: .file())
    var telemetry: String?

    /// The settings_json of mam_open.
    func settingsForOpening(asksByEvents: Bool = false, extensions: [String]? = nil) throws -> String {
        let given = try resolved()
        return JSON.members([
            "app": .members([
                "id": .string(given.app), "group": given.group.map(JSON.string),
                "extensions": extensions.map { .array($0.map(JSON.string)) },
            ]),
            "stateDirectory": given.state.map(JSON.string),
            "authority": try SessionOptions.authority(given.authority),
            "settings": given.settings,
            "infoPlist": given.infoPlist.map(JSON.string),
            "testPolicy": given.testPolicy.map(JSON.string),
            "worker": .bool(false),
            "questions": asksByEvents ? .string("events") : nil,
            "unknownIdentities": given.unknownIdentities.map { .string($0.rawValue) },
        ]).text
    }

    /// The environment variables with which a program opens the same session.
    func environment() throws -> [(name: String, value: String?)] {
        let given = try resolved()
        return [
            ("MAM_APP", given.app), ("MAM_GROUP", given.group), ("MAM_STATE", given.state),
            ("MAM_AUTHORITY", given.authority), ("MAM_SETTINGS", given.settings?.text),
            ("MAM_INFO_PLIST", given.infoPlist), ("MAM_TEST_POLICY", given.testPolicy),
            ("MAM_UNKNOWN_IDENTITIES", given.unknownIdentities?.rawValue), ("MAM_TELEMETRY", given.telemetry),
        ]
    }

    /// Whether the app has a state; opening a session would create one.
    var hasState: Bool {
        guard let given = try? resolved(), let states = try? stateDirectory else { return false }
        return access("\(states)/\(given.group ?? given.app)/state.db", F_OK) == 0
    }

    /// The directory with the state of each group.
    var stateDirectory: String {
        get throws {
            if let given = try Configuration.text(.state, option: state) { return given }
            let home = try ProcessEnvironment.variable("HOME") ?? "/"
            return "\(try ProcessEnvironment.variable("XDG_STATE_HOME") ?? "\(home)/.local/state")/libmam"
        }
    }

    /// Whether the authority is a service.
    func isOfService() throws -> Bool { SessionOptions.isService(try SessionOptions.authorityPath(authority)) }

    /// "authority" of the settings: the authority's file, or what a file of JSON says, which `mamd init` prints for a service.
    private static func authority(_ path: String) throws -> JSON {
        guard isService(path) else { return .members(["type": .string("embedded"), "path": .string(path)]) }
        return try serviceSettings(path)
    }

    /// The settings of a service in an authority's file of JSON; a usage error for JSON that is something else, such as a policy.
    static func serviceSettings(_ path: String) throws -> JSON {
        let settings = try Input.jsonFile(path)
        guard settings["type"] == "https" else {
            throw CommandError.usage(
                "\(path) is JSON, but not the settings of a service (\"type\":\"https\"), and no authority's file: give the authority "
                    + "with --authority FILE or MAM_AUTHORITY")
        }
        return settings
    }

    /// Whether the file of an authority holds the settings of a service: the database of another one begins with its own mark.
    static func isService(_ path: String) -> Bool {
        guard let file = fopen(path, "re") else { return false }
        defer { fclose(file) }
        return getc(file) == Int32(UInt8(ascii: "{"))
    }

    /// The path of an authority.
    static func authorityPath(_ option: String?) throws -> String {
        guard let path = try Configuration.text(.authority, option: option) else {
            throw CommandError.usage("which authority? Give --authority FILE or set MAM_AUTHORITY")
        }
        return path
    }

    /// The options, completed by the environment and the configuration files.
    private func resolved() throws -> Resolved {
        guard let app = try Configuration.text(.app, option: app) else {
            throw CommandError.usage("which app? Give --app ID, set MAM_APP, or put app into mam.conf")
        }
        return Resolved(
            app: app,
            group: try Configuration.text(.group, option: group),
            state: try Configuration.text(.state, option: state),
            authority: try SessionOptions.authorityPath(authority),
            settings: try Configuration.value(.settings, option: settings).map {
                try Input.json($0.text, option: $0.origin)
            },
            infoPlist: try Configuration.text(.infoPlist, option: infoPlist),
            testPolicy: try Configuration.text(.testPolicy, option: testPolicy),
            unknownIdentities: try unknown(),
            telemetry: try TelemetryFile.path(option: telemetry))
    }

    private func unknown() throws -> UnknownIdentities? {
        let given = try Configuration.value(.unknownIdentities, option: unknownIdentities?.rawValue)
        return try given.map { value in
            if let what = UnknownIdentities(rawValue: value.text) { return what }
            throw CommandError.usage(
                "\(value.origin): \(value.key.rawValue) is neither unmanaged nor error: '\(Text.cut(value.text, to: 40))'"
            )
        }
    }

    /// Every key, with the value of its option.
    var given: KeyValuePairs<ConfigurationKey, String?> {
        [
            .app: app, .group: group, .state: state, .authority: authority, .account: nil, .settings: settings,
            .infoPlist: infoPlist, .testPolicy: testPolicy, .unknownIdentities: unknownIdentities?.rawValue,
            .telemetry: telemetry,
        ]
    }

    /// Each value in force, and where it comes from.
    func sources() throws -> [Configuration.Value] {
        try given.compactMap { try Configuration.value($0.key, option: $0.value) }
    }

    /// The app's id and its group.
    func appAndGroup() throws -> (app: String, group: String) {
        let given = try resolved()
        return (given.app, given.group ?? given.app)
    }

    /// Whether the settings name a containing app, in whose state an extension works; libmam refuses one that this does not list.
    func isExtension() throws -> Bool {
        let (key, given) = ("ContainingAppBundleId", try resolved())
        guard given.settings?[key].string == nil else { return true }
        guard let path = given.infoPlist, let content = try? Input.file(path, limit: 4 << 20) else { return false }
        return content.withBytes { String(decoding: $0, as: UTF8.self) }.contains(key)
    }

    /// The options that select the session, as words of a command line.
    var words: String {
        let options: KeyValuePairs<ConfigurationKey, String?> = [
            .app: app, .group: group, .state: state, .authority: authority,
        ]
        return options.compactMap { key, value in value.map { " \(key.option) \(Finding.quoted($0))" } }.joined()
    }

    private struct Resolved {
        let app: String
        let group: String?
        let state: String?
        let authority: String
        let settings: JSON?
        let infoPlist: String?
        let testPolicy: String?
        let unknownIdentities: UnknownIdentities?
        let telemetry: String?
    }
}
