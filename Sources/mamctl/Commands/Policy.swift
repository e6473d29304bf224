import ArgumentParser
import MAMValues

/// `mamctl policy`
struct Policy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Show the policy that holds for an account; try policies out.",
        discussion: """
            This is the policy as the app sees it. The policies an authority hands out are kept with \
            'mamctl authority policy'.

            Example:
              mamctl policy show --account ann@contoso.example
            """,
        subcommands: [Show.self, Properties.self, Lint.self, Diff.self, Explain.self, Simulate.self],
        defaultSubcommand: Show.self)

    /// `mamctl policy show`
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show an account's effective settings and where each comes from.",
            discussion: """
                Where several policies reach an account the strictest value of each setting holds; conflicts \
                name the values that were given and the one that was chosen.

                Example:
                  mamctl policy show --account ann@contoso.example
                """)

        @Option(
            help: "The account: a UPN or an account id; \"\" for personal data (default: $MAM_IDENTITY).",
            completion: Completions.accounts)
        var account: String?

        @OptionGroup var output: OutputOptions
        @OptionGroup(title: "Session options") var session: SessionOptions

        func run() throws {
            let account = try ProcessEnvironment.account(account)
            try Session.open(session) { session in
                try output.show(session.policy(of: account), Policy.lines)
            }
        }
    }

    private static func lines(_ policy: JSON) -> [String] {
        let names = policy["policies"].elements.map { "\(Text.value($0["name"])) (\(Text.value($0["platform"])))" }
        var lines = Text.fields([
            ("account", Text.value(policy["accountId"])), ("managed", Text.value(policy["managed"])),
            ("locked down", Text.value(policy["lockDown"])),
            ("policies", names.isEmpty ? "-" : names.joined(separator: ", ")),
        ])
        let settings = policy["settings"].elements.map { setting in
            [
                Text.value(setting["setting"]), Text.setting(setting["value"]),
                setting["policyName"].string ?? Text.value(setting["policyId"]),
            ]
        }
        if !settings.isEmpty { lines += [""] + Table(titles: ["setting", "value", "policy"], rows: settings).lines }
        let conflicts = policy["conflicts"].elements.map { conflict in
            let values = conflict["values"].elements.map {
                "\(Text.setting($0["value"])) (\(Text.value($0["policyId"])))"
            }
            return [Text.value(conflict["setting"]), Text.setting(conflict["chosen"]), values.joined(separator: ", ")]
        }
        if !conflicts.isEmpty {
            lines += [""] + Table(titles: ["conflict", "chosen", "given"], rows: conflicts).lines
        }
        return lines
    }
}
