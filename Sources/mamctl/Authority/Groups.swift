import ArgumentParser
import MAMValues

/// `mamctl authority group`
struct Groups: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group",
        abstract: "Keep the groups that policies and app configurations are assigned to.",
        discussion: """
            GROUP is a group's name or its id. A group whose id stands in a policy's export gets that policy.

            Example:
              mamctl authority group add Sales
              mamctl authority group add-member Sales ann@contoso.example
            """,
        subcommands: [Add.self, Show.self, Remove.self, List.self, AddMember.self, RemoveMember.self])

    /// The members on one line: the first three, and how many there are besides.
    fileprivate static func members(_ group: JSON) -> String {
        let members = group["members"].elements
        guard !members.isEmpty else { return "nobody" }
        let more = members.count > 4 ? members.count - 3 : 0
        return Text.value(.array(Array(members.dropLast(more)))) + (more > 0 ? " and \(more) more" : "")
    }

    /// `mamctl authority group add`
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add a group.",
            discussion: """
                Give the id where an export's assignments name one.

                Example:
                  mamctl authority group add Sales
                """)

        @Argument(help: "The group's name.")
        var name: String

        @Option(help: "The group's id (default: a new one).")
        var id: String?

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change("group.add", ["name": .string(name), "id": id.map(JSON.string)]) {
                Output.complain(notesOf: $0)
                return "group \(Text.value($0["name"])) added (id \(Text.value($0["id"])))"
            }
        }
    }

    /// `mamctl authority group show`
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show a group and its members.",
            discussion: """
                Members are shown by their UPN.

                Example:
                  mamctl authority group show Sales
                """)

        @Argument(help: "The group: its name or its id.", completion: Completions.groups)
        var group: String

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.perform("group.show", ["group": .string(group)], Text.outline)
        }
    }

    /// `mamctl authority group remove`
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a group.",
            discussion: """
                Its members stay; policies reach them through this group no longer, and no policy leaves them out for it. A \
                policy or configuration that had no other group reaches nobody then, and is named, as is one that \
                excluded the group. --dry-run shows them, and the users who lose their last policy, before that.

                Example:
                  mamctl authority group remove Sales --dry-run
                  mamctl authority group remove Sales
                """)

        @Argument(help: "The group: its name or its id.", completion: Completions.groups)
        var group: String

        @OptionGroup var rehearsal: Rehearsal
        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            let keys: KeyValuePairs = ["group": JSON.string(group), "dryRun": rehearsal.json]
            try authority.perform("group.remove", keys) { removed in
                LostPolicies.warn(removed)
                return ["group \(Text.value(removed["name"])) removed (id \(Text.value(removed["id"])))"]
                    + (try notes("policy", "policies", removed["policies"], removed, removed["excludingPolicies"]))
                    + (try notes(
                        "config", "configurations", removed["configurations"], removed,
                        removed["excludingConfigurations"])) + rehearsal.lines
            }
        }

        /// Lines on documents that had no other group, and on those that excluded this one.
        private func notes(
            _ kind: String, _ list: String, _ ids: JSON, _ group: JSON, _ excluding: JSON
        ) throws -> [String] {
            guard !ids.elements.isEmpty else { return [] }
            let documents = try JSON(parsing: authority.request("\(kind).list", [:]))[list].elements
            return documents.filter { ids.elements.contains($0["id"]) }.compactMap { document in
                let name = "note: \(kind) \(Text.value(document["displayName"])) (\(Text.value(document["id"])))"
                // After a rehearsal the group is still among them.
                let others = document["groups"].elements.filter { $0 != group["name"] }
                if others.isEmpty, document["allUsers"] != .bool(true) {
                    return "\(name) reaches nobody now"
                }
                let isLifted = excluding.elements.contains(document["id"])
                return isLifted
                    ? "\(name) excluded its members, and reaches those now whom it is assigned to otherwise" : nil
            }
        }
    }

    /// `mamctl authority group list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the groups and their members.",
            discussion: """
                In the order they were added. Of many members the first are named; 'show' and --json name all.

                Example:
                  mamctl authority group list
                """)

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.perform("group.list", [:]) { reply in
                let rows = reply["groups"].elements.map {
                    [Text.value($0["name"]), Text.value($0["id"]), Groups.members($0)]
                }
                return rows.isEmpty ? ["no groups"] : Table(titles: ["name", "id", "members"], rows: rows).lines
            }
        }
    }

    /// `mamctl authority group add-member`
    struct AddMember: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add-member",
            abstract: "Put users into a group.",
            discussion: """
                The policies of the group reach them with their next check-in.

                Example:
                  mamctl authority group add-member Sales ann@contoso.example
                """)

        @OptionGroup var membership: Membership

        func run() throws {
            try membership.change("group.addMember")
        }
    }

    /// `mamctl authority group remove-member`
    struct RemoveMember: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove-member",
            abstract: "Take users out of a group.",
            discussion: """
                The policies of the group leave them with their next check-in.

                Example:
                  mamctl authority group remove-member Sales ann@contoso.example
                """)

        @OptionGroup var membership: Membership

        func run() throws {
            try membership.change("group.removeMember")
        }
    }
}

/// Options that name a group and users.
struct Membership: ParsableArguments {
    @Argument(help: "The group: its name or its id.", completion: Completions.groups)
    var group: String

    @Argument(help: "The users: UPNs or account ids.", completion: Completions.users)
    var users: [String]

    @OptionGroup var authority: AuthorityOptions

    /// Perform an action for each user, and show the group afterwards.
    func change(_ action: String) throws {
        let replies = try users.map { user in
            try JSON(parsing: authority.request(action, ["group": .string(group), "user": .string(user)]))
        }
        try authority.output.show(LostPolicies.merged(replies).text) {
            LostPolicies.warn($0)
            for note in replies.compactMap({ $0["note"].string }) {
                Output.complain("mamctl: note: \(Text.clean(note))")
            }
            return ["group \(Text.value($0["name"])): \(Groups.members($0))"]
        }
    }
}
