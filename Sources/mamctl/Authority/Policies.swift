import ArgumentParser

/// `mamctl authority policy`
struct Policies: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Keep policies, and say whom they reach.",
        discussion: """
            A policy reaches a user in an app when it is assigned to the user (through a group, or with \
            --all-users) and targets the app. POLICY is a policy's id, as 'list' shows it.

            Example:
              mamctl authority policy import strict.json --all-users --all-apps
            """,
        subcommands: [
            PolicyImport.self, List.self, Show.self, Export.self, Remove.self, PolicyAssign.self, PolicyUnassign.self,
            PolicyTarget.self, PolicyUntarget.self,
        ])

    /// `mamctl authority policy list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the policies and whom they reach.",
            discussion: """
                "Enforced" counts the settings that libmam enforces; "other" those that do not apply here or \
                that it does not know, which 'show' names.

                Example:
                  mamctl authority policy list
                """)

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.perform("policy.list", [:]) { Policies.table($0["policies"].elements) }
        }
    }

    /// `mamctl authority policy show`
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a policy, setting by setting.",
            discussion: """
                Each property of the export with its value and whether it is enforced, not applicable here or \
                unknown. Long values are cut; --json has all of them.

                Example:
                  mamctl authority policy show 0b5e1f0e-7a3f-4f0c-9d43-5a1f0a6a2c11
                """)

        @Argument(help: "The policy's id.", completion: Suggestion.policies)
        var policy: String

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.perform("policy.show", ["policy": .string(policy)]) { policy in
                let keys = ["id", "displayName", "platform", "type", "import"]
                let properties = policy["properties"].elements.map {
                    [
                        Text.value($0["property"]), Text.cut(Text.setting($0["value"]), to: 40),
                        Policies.fate($0["status"]),
                        Text.value($0["note"]),
                    ]
                }
                let reach = [("reaches", Policies.users(policy)), ("in apps", Policies.applications(policy))]
                return Text.fields(keys.map { (Text.words($0), Text.value(policy[$0])) } + reach)
                    + [""] + Table(titles: ["property", "value", "status", "note"], rows: properties).lines
                    + Policies.warnings(policy)
            }
        }
    }

    /// `mamctl authority policy export`
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what was imported.",
            discussion: """
                The JSON document equals what was imported, unknown keys included. With --import a whole \
                import comes back instead of one policy.

                Example:
                  mamctl authority policy export 0b5e1f0e-7a3f-4f0c-9d43-5a1f0a6a2c11 > strict.json
                """)

        @Argument(help: "The policy's id.", completion: Suggestion.policies)
        var policy: String?

        @Option(
            name: .customLong("import"), help: ArgumentHelp("The id of an import.", valueName: "id"),
            completion: Suggestion.imports)
        var importId: String?

        @OptionGroup var authority: AuthorityOptions

        func validate() throws {
            if (policy == nil) == (importId == nil) { throw ValidationError("Give a policy or --import, one of them") }
        }

        func run() throws {
            let keys: KeyValuePairs = ["policy": policy.map(JSON.string), "import": importId.map(JSON.string)]
            let reply = try authority.request("policy.export", keys)
            guard !authority.output.json else { return try Output.line(reply) }
            try Output.line(JSON(parsing: reply)["document"].indentedText)
        }
    }

    /// `mamctl authority policy remove`
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a policy.",
            discussion: """
                It stops reaching accounts with their next check-in.

                Example:
                  mamctl authority policy remove 0b5e1f0e-7a3f-4f0c-9d43-5a1f0a6a2c11
                """)

        @Argument(help: "The policy's id.", completion: Suggestion.policies)
        var policy: String

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change("policy.remove", ["policy": .string(policy)]) { "\(Policies.name($0)) removed" }
        }
    }
}

/// How policies read.
extension Policies {
    /// One line a policy, from its summary.
    static func table(_ policies: [JSON]) -> [String] {
        let titles = ["id", "name", "platform", "enforced", "other", "users", "apps"]
        let rows = policies.map { policy in
            let counts = policy["counts"]
            return [
                Text.value(policy["id"]), Text.value(policy["displayName"]), Text.value(policy["platform"]),
                Text.value(counts["enforced"]),
                "\(Text.value(counts["notApplicable"]))+\(Text.value(counts["unknown"]))", users(policy),
                applications(policy),
            ]
        }
        return Table(titles: titles, rows: rows).lines(none: "no policies")
    }

    /// A policy's id and name.
    static func name(_ policy: JSON) -> String {
        "policy \(Text.value(policy["id"])) (\(Text.cut(Text.value(policy["displayName"]), to: 60)))"
    }

    /// Whom a policy reaches, in a line.
    static func reach(_ policy: JSON) -> String {
        "\(name(policy)) reaches \(users(policy)) in \(applications(policy))"
    }

    /// How many of its settings do what, in words.
    static func counts(_ policy: JSON) -> String {
        let counts = policy["counts"]
        return ["enforced", "notApplicable", "unknown"].map { "\(Text.value(counts[$0])) \(fate(.string($0)))" }
            .joined(separator: ", ")
    }

    /// What becomes of a property.
    static func fate(_ status: JSON) -> String {
        status.string == "notApplicable" ? "not applicable here" : Text.value(status)
    }

    static func users(_ policy: JSON) -> String {
        let groups = policy["allUsers"] == .bool(true) ? [.string("all users")] : policy["groups"].elements
        let excluded = policy["excludedGroups"].elements
        let reached = groups.isEmpty ? "nobody" : Text.value(.array(groups))
        return excluded.isEmpty ? reached : "\(reached) but \(Text.value(.array(excluded)))"
    }

    static func applications(_ policy: JSON) -> String {
        let all = policy["allApps"] == .bool(true)
        return all ? "all apps" : policy["apps"].elements.isEmpty ? "no app" : Text.value(policy["apps"])
    }

    /// What the authority thinks a person should look at.
    static func warnings(_ reply: JSON) -> [String] {
        reply["warnings"].elements.map { warning in
            "warning: \(Text.value(warning["message"]))"
        }
    }
}
