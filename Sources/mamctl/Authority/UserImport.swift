import ArgumentParser
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
            empty value is as good as none. Groups that are not there are added. \
            All of the file is imported or nothing: an error names the line and the column. A user that is here \
            already is counted where the file says the same; one that differs is refused, or with --update \
            changed to what the file says. Nobody is removed, neither from the authority nor from a group.

            Example:
              mamctl authority user import people.csv
            """)

    @Argument(help: "The CSV file; - for standard input.", completion: .file(extensions: ["csv"]))
    var file: String

    @Flag(help: "Change users that are here already to what the file says.")
    var update = false

    @OptionGroup var authority: AuthorityOptions

    func run() throws {
        let csv = try CSV(file, columns: UserImport.columns, required: "upn", elsewhere: UserImport.elsewhere)
        let users = try csv.rows.map { try UserImport.user($0, csv) }
        do {
            try authority.perform("user.import", ["users": .array(users), "update": update ? .bool(true) : nil]) {
                let groups = $0["groups"].elements
                let names = groups.isEmpty ? "" : " (\(Text.cut(Text.value($0["groups"]), to: 200)))"
                return [
                    "users: \(Text.value($0["added"])) added, \(Text.value($0["changed"])) changed, "
                        + "\(Text.value($0["unchanged"])) unchanged", "groups: \(groups.count) added\(names)",
                ]
            }
        } catch let error as CommandError {
            throw UserImport.named(error, in: csv)
        }
        for row in csv.rows {
            guard let upn = row.values["upn"], !upn.contains("@") else { continue }
            Output.complain("warning: \(csv.failure(row, Users.withoutDomain(upn)).message ?? "")")
        }
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

    /// The library's error about an element of the list, by the file's line.
    private static func named(_ error: CommandError, in csv: CSV) -> CommandError {
        guard let json = error.json.flatMap({ try? JSON(parsing: $0) }), let index = json["detail"]["index"].integer,
            csv.rows.indices.contains(Int(index)), let status = json["status"].integer, let message = error.message
        else { return error }
        let prefix = "users[\(index)]: "
        let told = message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message
        let column = json["detail"]["argument"].string
        let words = column.map { told.hasPrefix($0) ? told : "\($0): \(told)" } ?? told
        return csv.failure(csv.rows[Int(index)], words, status: Int(status))
    }
}
