import ArgumentParser
import CMam
import MAMValues

/// `mamctl config`
struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show what the app is configured with.",
        discussion: """
            These are the settings that administrators give the app itself, as the app sees them. The \
            configurations an authority hands out are kept with 'mamctl authority config'.

            Example:
              mamctl config get ServerName --account ann@contoso.example
            """,
        subcommands: [List.self, Get.self, Conflicts.self], defaultSubcommand: List.self)

    /// The accounts whose configuration is shown, and the output format.
    struct Options: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "An account: a UPN or an account id; more than once for several together (default: $MAM_IDENTITY, "
                    + "else every enrolled account).", valueName: "account"), completion: Completions.accounts)
        var account: [String] = []

        @OptionGroup var output: OutputOptions
        @OptionGroup(title: "Session options") var session: SessionOptions

        /// Run `body` with the configuration of the accounts.
        func ask<Value>(_ body: (OpaquePointer) throws -> Value) throws -> Value {
            let named = try account.isEmpty ? ProcessEnvironment.identity().map { [$0] } : account
            let identities = named.map { JSON.array($0.map(JSON.string)) } ?? .null
            return try Session.open(session) { session in
                var config: OpaquePointer?
                try session.perform { mam_app_config($0, identities.text, &config) }
                guard let config else {
                    throw CommandError.failed("there is no configuration", status: MAM_ERR_INTERNAL)
                }
                defer { mam_app_config_release(config) }
                return try body(config)
            }
        }
    }

    /// `mamctl config list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Show each setting with its value and where it comes from.",
            discussion: """
                Of several values those of configurations that are targeted at the user count, else the tenant \
                default's. Long values are cut. With --json the configurations come as they were received, one a \
                line.

                Example:
                  mamctl config list --json
                """)

        @OptionGroup var options: Options

        func run() throws {
            try options.ask { config in
                let data = try Library.text { mam_app_config_full_data(config, $0) }
                try options.output.showList(data) { try lines($0.elements, config) }
            }
        }

        /// By precedence: values of a channel hide those of later ones.
        private static let channels = ["targeted", "device", "tenantDefault"]

        private func lines(_ dictionaries: [JSON], _ config: OpaquePointer) throws -> [String] {
            var places: [String: [(value: JSON, dictionary: JSON)]] = [:]
            for dictionary in dictionaries {
                for member in dictionary["values"].members {
                    places[member.key, default: []].append((member.value, dictionary))
                }
            }
            let rows = places.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }.flatMap {
                key, all in
                let channel = List.channels.first { channel in
                    all.contains { $0.dictionary["channel"] == .string(channel) }
                }
                return all.filter { $0.dictionary["channel"].string == channel }.map { value, dictionary in
                    [key, Text.cut(Text.setting(value), to: 60), Config.name(dictionary)]
                }
            }
            return Table(titles: ["setting", "value", "configuration"], rows: rows).lines(none: "nothing is configured")
        }
    }

    /// `mamctl config get`
    struct Get: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get",
            abstract: "Print the value of one setting.",
            discussion: """
                The exit status is 1 where nothing that counts has the setting as this type: text that is true or \
                false as a boolean, decimal numbers as a number, whole ones of 64 bits as an integer. With --all \
                every value that counts, one a line; none is no failure then.

                Example:
                  mamctl config get MaximumSize --type integer --query min
                """)

        @Argument(help: "The setting's name.")
        var key: String

        @Option(help: "The type of the value.")
        var type = ValueType.text

        @Option(help: "Which of several values: or and and are for booleans, min and max for the rest.")
        var query = Query.any

        @Flag(help: "Every value that counts, in the order received.")
        var all = false

        @OptionGroup var options: Options

        func validate() throws {
            guard !all || query == .any else { throw ValidationError("--all and --query do not go together") }
            let isBoolean = query == .or || query == .and
            guard query == .any || isBoolean == (type == .boolean) else {
                throw ValidationError("--query \(query.rawValue) does not go with --type \(type.rawValue)")
            }
        }

        func run() throws {
            try options.ask { config in
                if all {
                    let list = try Library.text { type.all(config, key, $0) }
                    return try options.output.showList(list) { $0.elements.map(plain) }
                }
                let value = try Library.text { type.one(config, key, query.number, $0) }
                guard value != "null" else {
                    throw CommandError.failed(
                        "\(key) is not configured\(type == .text ? "" : " as \(type.article)")",
                        status: MAM_ERR_NOT_FOUND)
                }
                try options.output.show(value) { [plain($0)] }
            }
        }

        private func plain(_ value: JSON) -> String { value.string ?? value.text }
    }

    /// `mamctl config conflicts`
    struct Conflicts: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "conflicts",
            abstract: "Show the settings to which configurations give different values.",
            discussion: """
                Only configurations that are targeted at the user can disagree.

                Example:
                  mamctl config conflicts
                """)

        @OptionGroup var options: Options

        func run() throws {
            try options.ask { config in
                let conflicts = try Library.text { mam_app_config_conflicts(config, $0) }
                try options.output.showList(conflicts) { conflicts in
                    let rows = conflicts.elements.flatMap { conflict in
                        conflict["values"].elements.map {
                            [Text.value(conflict["key"]), Text.cut(Text.setting($0["value"]), to: 60), Config.name($0)]
                        }
                    }
                    return Table(titles: ["setting", "value", "configuration"], rows: rows).lines(none: "no conflicts")
                }
            }
        }
    }

    /// The name of a configuration.
    private static func name(_ configuration: JSON) -> String {
        let name = configuration["name"].string.flatMap { $0.isEmpty ? nil : $0 } ?? Text.value(configuration["id"])
        return configuration["channel"].string == "tenantDefault" ? "\(name) (tenant default)" : name
    }
}
