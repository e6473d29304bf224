import ArgumentParser
import CMam
import MAMValues

/// `mamctl authority user import`
struct UserImport: ParsableCommand {
    private static let columns = ["upn", "accountId", "tenantId", "displayName", "enabled", "licensed", "groups"]
    /// Names in exports of directories, Microsoft Entra's above all.
    private static let elsewhere = [
        "userprincipalname": "upn", "user principal name": "upn", "mail": "upn", "email": "upn", "e-mail": "upn",
        "login": "upn", "user": "upn", "username": "upn", "id": "accountId", "objectid": "accountId",
        "object id": "accountId", "oid": "accountId", "name": "displayName", "fullname": "displayName",
        "full name": "displayName", "accountenabled": "enabled", "account enabled": "enabled", "active": "enabled",
        "islicensed": "licensed", "memberof": "groups", "department": "groups", "team": "groups", "tenant": "tenantId",
    ]

    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Add users and their groups from a CSV file.",
        discussion: """
            FILE is comma-separated (RFC 4180) in UTF-8, with a header that names its columns: upn, and any of \
            accountId, tenantId, displayName, enabled, licensed (true or false) and groups (separated by ";"). An \
            empty value is as good as none. Groups that are not there are added and shown with their members, and one that resembles \
            another is questioned; \
            new users whom no policy reaches are named. \
            All of the file is imported or nothing: each error names the line and the column, and --dry-run shows what \
            an import would do. A user that is here \
            already is counted where the file says the same; one that differs is refused, or with --update \
            changed to what the file says. Nobody is removed, neither from the authority nor from a group.

            Example:
              mamctl authority user import people.csv --dry-run
              mamctl authority user import people.csv
            """)

    @Argument(help: "The CSV file; - for standard input.", completion: .file(extensions: ["csv"]))
    var file: String

    @Flag(help: "Change users that are here already to what the file says.")
    var update = false

    @OptionGroup var rehearsal: Rehearsal
    @OptionGroup var authority: AuthorityOptions

    private static let maximumFailures = 20

    func run() throws {
        let csv = try CSV(file, columns: UserImport.columns, required: "upn", elsewhere: UserImport.elsewhere)
        var failures = csv.failures
        var users: [(row: CSV.Row, json: JSON)] = []
        for row in csv.rows {
            do { users.append((row, try UserImport.user(row, csv))) } catch let error as CommandError {
                failures.append((row.line, error))
            }
        }
        // After an error the other rows are rehearsed, so that all errors are reported at once.
        var reply: String?
        while reply == nil, failures.count < UserImport.maximumFailures {
            do {
                let rehearses = rehearsal.dryRun || !failures.isEmpty
                reply = try authority.request(
                    "user.import",
                    [
                        "users": .array(users.map(\.json)), "update": update ? .bool(true) : nil,
                        "dryRun": rehearses ? .bool(true) : nil,
                    ])
            } catch let error as CommandError {
                guard let index = UserImport.index(of: error), users.indices.contains(index) else { throw error }
                let row = users.remove(at: index).row
                failures.append((row.line, UserImport.named(error, row, csv)))
            }
        }
        guard failures.isEmpty else { throw tell(failures) }
        try authority.output.show(reply ?? "{}") {
            UserImport.complain($0)
            return lines($0)
        }
        for row in csv.rows {
            guard let upn = row.values["upn"], !upn.contains("@") else { continue }
            Output.complain("warning: \(csv.failure(row, Users.withoutDomain(upn)).message ?? "")")
        }
    }

    /// Write whom an update may have missed, which new groups may be misspelt, and whom no policy reaches.
    private static func complain(_ reply: JSON) {
        for user in reply["addedDisabled"].elements {
            let question = user["nearest"].string.map { "did you mean \($0)?" } ?? "nobody was disabled by this row"
            Output.complain(
                Text.clean("warning: \(Text.value(user["upn"])) was not here, and is added, disabled; \(question)"))
        }
        for group in reply["nearGroups"].elements {
            Output.complain(
                Text.clean(
                    "warning: the group \(Text.value(group["name"])) is new; did you mean \(Text.value(group["nearest"]))?"
                ))
        }
        for pair in reply["similarGroups"].elements {
            Output.complain(
                Text.clean(
                    "warning: the groups \(Text.value(pair["name"])) and \(Text.value(pair["nearest"])) are both new; "
                        + "is one of them misspelt?"))
        }
        for domain in reply["nearDomains"].elements {
            Output.complain(
                Text.clean(
                    "warning: the domain \(Text.value(domain["name"])) is new; did you mean \(Text.value(domain["nearest"]))?"
                ))
        }
        for note in reply["notes"].elements { Output.complain(Text.clean("warning: \(Text.value(note))")) }
        for group in reply["groups"].elements.compactMap(\.string) where group.contains(",") {
            Output.complain(
                Text.clean("warning: the group '\(group)' is new; a semicolon separates groups, not a comma"))
        }
        LostPolicies.warn(reply)
        LostPolicies.warn(unreached: reply["unreached"])
    }

    private func lines(_ reply: JSON) -> [String] {
        let groups = reply["groups"].elements
        let sizes = reply["members"].members.map { name, count in
            "\(name) with \(count == .number(1) ? "1 member" : "\(count.text) members")"
        }
        let names = groups.isEmpty ? "" : " (\(Text.cut(sizes.joined(separator: ", "), to: 400)))"
        let counts = [
            "users: \(Text.value(reply["added"])) added, \(Text.value(reply["changed"])) changed, "
                + "\(Text.value(reply["unchanged"])) unchanged", "groups: \(groups.count) added\(names)",
        ]
        let named = [("added", "addedUsers"), ("changed", "changedUsers")].compactMap { count, key -> String? in
            let users = reply[key].elements
            guard !users.isEmpty, update || rehearsal.dryRun else { return nil }
            let kinds = reply["changes"].members.map { "\($0.key) of \($0.value.text)" }.joined(separator: ", ")
            return "\(count): \(Text.first(users, of: reply[count]))"
                + (count == "changed" && !kinds.isEmpty ? " (\(kinds))" : "")
        }
        return counts + named + UserImport.omissions(reply) + rehearsal.lines
    }

    /// Lines on users and memberships that the file leaves out.
    private static func omissions(_ reply: JSON) -> [String] {
        let absent = reply["absent"]["users"].elements
        let kept = reply["keptGroups"]["users"].elements.map {
            JSON.string("\(Text.value($0["upn"])) (\(Text.value($0["groups"])))")
        }
        let lists = [
            ("not in the file, and kept", absent, "absent"),
            ("kept in groups that the file does not name", kept, "keptGroups"),
        ]
        return lists.filter { !$0.1.isEmpty }.map { title, users, key in
            "\(title): \(Text.first(users, of: reply[key]["userCount"]))"
        }
    }

    /// Print the errors in the order of lines; returns the last one.
    private func tell(_ failures: [(line: Int, error: CommandError)]) -> CommandError {
        let sorted = failures.sorted { $0.line < $1.line }
        var errors = sorted.prefix(UserImport.maximumFailures).map(\.error)
        let isCut = failures.count >= UserImport.maximumFailures
        let last = errors.removeLast()
        for error in errors {
            if let line = error.line(asJSON: authority.output.json) { Output.complain(line) }
        }
        return isCut
            ? last.appending("these are the first \(UserImport.maximumFailures) errors, and there may be more") : last
    }

    private static func user(_ row: CSV.Row, _ csv: CSV) throws -> JSON {
        func text(_ column: String) -> JSON? { row.values[column].map(JSON.string) }
        func flag(_ column: String) throws -> JSON? {
            guard let value = row.values[column] else { return nil }
            // Spreadsheets write TRUE and FALSE.
            switch value.lowercased() {
            case "true": return .bool(true)
            case "false": return .bool(false)
            default: throw csv.failure(row, "\(column): '\(Text.cut(value, to: 40))' is neither true nor false")
            }
        }
        guard row.values["upn"] != nil else { throw csv.failure(row, "upn: there is none") }
        let groups = row.values["groups"].map { groups in
            JSON.array(groups.split(separator: ";").map { .string(trimmed($0)) })
        }
        return .members([
            "upn": text("upn"), "accountId": text("accountId"), "tenantId": text("tenantId"),
            "displayName": text("displayName"), "enabled": try flag("enabled"), "licensed": try flag("licensed"),
            "groups": groups,
        ])
    }

    private static func trimmed(_ name: Substring) -> String {
        var name = name
        while name.first == " " { name.removeFirst() }
        while name.last == " " { name.removeLast() }
        return String(name)
    }

    /// The element of the list that an error is about; nil for any other error, such as a full disk.
    private static func index(of error: CommandError) -> Int? {
        guard let json = error.json.flatMap({ try? JSON(parsing: $0) }), let status = json["status"].integer,
            [MAM_ERR_ARGUMENT, MAM_ERR_JSON, MAM_ERR_ALREADY].contains(Int(status))
        else { return nil }
        return json["detail"]["index"].integer.map { Int($0) }
    }

    /// The library's error about an element of the list, by the file's line.
    private static func named(_ error: CommandError, _ row: CSV.Row, _ csv: CSV) -> CommandError {
        guard let json = error.json.flatMap({ try? JSON(parsing: $0) }), let index = json["detail"]["index"].integer,
            let status = json["status"].integer, let message = error.message
        else { return error }
        let prefix = "users[\(index)]: "
        var told = message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message
        // The same in JSON is for callers of the library.
        let inJSON = #" ("update":true)"#
        if told.hasSuffix(inJSON) { told.removeLast(inJSON.count) }
        let column = json["detail"]["argument"].string
        let words = column.map { told.hasPrefix($0) ? told : "\($0): \(told)" } ?? told
        return csv.failure(row, words, status: Int(status))
    }
}
