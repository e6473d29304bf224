import ArgumentParser
import CMam
import MAMValues

/// `mamctl settings`
struct Settings: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Show or change this app's IntuneMAMSettings.",
        discussion: """
            A key that is set here is kept in the state, and goes before what the program itself gives when it \
            opens its session. 'clear' takes it back.

            Example:
              mamctl settings set MultiManagedIdentities true
            """,
        subcommands: [Show.self, Set.self, Clear.self, Extensions.self, Device.self], defaultSubcommand: Show.self)

    /// `mamctl settings show`
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the effective settings and where each comes from.",
            discussion: """
                A setting's source is "override" (set with 'mamctl settings set'), "settings" or "infoPlist" (given \
                when the session was opened) or "default", and the first of these counts. "Here" says whether it \
                applies or has no meaning on Linux; --json also says why, and what it goes before.

                Example:
                  mamctl settings show
                """)

        @OptionGroup var output: OutputOptions
        @OptionGroup(title: "Session options") var session: SessionOptions

        func run() throws {
            let settings = try Session.open(session) { try $0.settings() }
            // Settings of an app without a state are read beside it.
            let place = JSON.string(try session.stateDirectory)
            let members = settings.members.map { ($0.key, $0.key == "stateDirectory" ? place : $0.value) }
            try output.show(JSON.object(members).text, Settings.lines)
        }
    }

    /// `mamctl settings set`
    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Set one key, durably.",
            discussion: """
                VALUE is JSON of the key's type: true, 5, "text" (with its quotes), or an object.

                Example:
                  mamctl settings set MultiManagedIdentities true
                """)

        @Argument(help: "The key, as in docs/settings.md.", completion: Completions.settings)
        var key: String

        @Argument(help: "The value as JSON.")
        var value: String

        @OptionGroup var output: OutputOptions
        @OptionGroup(title: "Session options") var session: SessionOptions

        func validate() throws {
            guard (try? JSON(parsing: value)) == nil else { return }
            throw ValidationError(
                "\(value) is not JSON: give true or false, a number, or text with its quotes ('\"text\"')")
        }

        func run() throws {
            try Settings.override(key, value, session, output)
        }
    }

    /// `mamctl settings clear`
    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Take back what 'set' has set.",
            discussion: """
                The key then has the value that the program gives, or its default.

                Example:
                  mamctl settings clear MultiManagedIdentities
                """)

        @Argument(help: "The key, as in docs/settings.md.", completion: Completions.settings)
        var key: String

        @OptionGroup var output: OutputOptions
        @OptionGroup(title: "Session options") var session: SessionOptions

        func run() throws {
            try Settings.override(key, nil, session, output)
        }
    }

    private static func lines(_ settings: JSON) -> [String] {
        let rows = settings["settings"].elements.map {
            [
                Text.value($0["key"]), Text.setting($0["value"]), Text.value($0["source"]),
                Text.words(Text.value($0["effect"])),
            ]
        }
        let others = settings.members.filter { $0.key != "settings" }
        return Text.outline(.object(others)) + [""]
            + Table(titles: ["key", "value", "source", "here"], rows: rows).lines
    }

    /// Set or clear a key and show the result.
    private static func override(
        _ key: String, _ value: String?, _ options: SessionOptions, _ output: OutputOptions
    ) throws {
        try Session.open(options, firstRun: .stores) { session in
            try session.perform { mam_set_override($0, key, value) }
            let settings = try session.settings()
            guard let now = settings["settings"].elements.first(where: { $0["key"].string == key }) else { return }
            try output.show(now.text) { ["\(key) is \($0["value"].text) (\(Text.value($0["source"])))"] }
        }
    }
}
