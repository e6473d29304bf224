import MAMSupport

/// `authority.*`.
enum AuthorityActions {
    static func create(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let made = try Store.newId()
        try call.database.run(
            "INSERT INTO authority VALUES (1, ?, ?, NULL)", .optional(call.arguments.text("name")),
            .text(call.arguments.text("tenantId") ?? made))
        return try summary(call)
    }

    /// Searches the whole file for damage and for changes by others: this says whether a copy can be put in its place. A service alone
    /// writes its database, so that nothing is searched there.
    static func show(_ call: AdministrationCall) throws(MAMError) -> JSON {
        try call.store.checkIntegrity(.storage)
        if !call.store.countsChanges { try SignedRows(call.store, AuthorityTrust())?.checkAll(call.store) }
        return try summary(call)
    }

    /// `pending`: changes that are counted once the action is done.
    private static func summary(_ call: AdministrationCall, pending: Int64 = 0) throws(MAMError) -> JSON {
        func count(_ table: String) throws(MAMError) -> JSON {
            .integer(try call.database.first("SELECT count(*) FROM \(table)") { $0.integer(0) } ?? 0)
        }
        let own = try call.database.first("SELECT name, tenant FROM authority") { ($0.jsonText(0), $0.jsonText(1)) }
        return [
            "path": .string(call.place.path), "name": own?.0 ?? .null, "tenantId": own?.1 ?? .null,
            "custody": .string(call.place.custody.rawValue), "custodyReason": .optional(call.place.developmentReason),
            "revision": .integer(
                call.store.countsChanges ? try call.store.sequence() : try call.store.revision().number + pending),
            "checkInInterval": .optional(try call.store.checkInInterval()?.iso8601),
            "domains": .strings(try call.store.domains()),
            "users": try count("users"), "groups": try count("user_groups"), "apps": try count("apps"),
            "policies": try count("policies"), "configurations": try count("configurations"),
            "registrations": try count("registrations"), "wipes": try count("wipes"),
        ]
    }

    static func set(_ call: AdministrationCall) throws(MAMError) -> JSON {
        if let name = call.arguments.text("name") {
            try call.database.run("UPDATE authority SET name = ?", .text(name))
        }
        if call.arguments.has("checkInInterval") {
            let span = call.arguments.text("checkInInterval").flatMap(TimeSpan.init(iso8601:))
            try call.database.run(
                "UPDATE authority SET interval = ?", span.map { .integer($0.milliseconds) } ?? .null)
        }
        if call.arguments.has("domains") {
            try call.database.run("DELETE FROM domains")
            for domain in call.arguments["domains"]?.array ?? [] {
                try call.database.run("INSERT INTO domains (domain) VALUES (?)", .text(domain.string ?? ""))
            }
        }
        return try summary(call, pending: 1).noting(try questionedDomains(call))
    }

    /// Make this file the newest: apps refuse an older copy than the one that they have seen. Its number of changes then exceeds that of
    /// any lost copy.
    static func accept(_ call: AdministrationCall) throws(MAMError) -> JSON {
        try call.store.raiseRevision(by: Store.raise(of: try call.store.revision().number, accepting: call.now))
        return try summary(call, pending: 1)
    }

    /// A note about each of the given domains that nobody has and that resembles another.
    private static func questionedDomains(_ call: AdministrationCall) throws(MAMError) -> [String?] {
        guard let domains = call.arguments["domains"]?.array, !domains.isEmpty else { return [] }
        let known = try UserDomains(call.store)
        return domains.map { $0.string.flatMap(known.note(stating:)) }
    }
}

extension Store {
    /// How often apps check in; nil leaves the interval to them.
    package func checkInInterval() throws(MAMError) -> TimeSpan? {
        try database.first("SELECT interval FROM authority WHERE interval IS NOT NULL") {
            TimeSpan(milliseconds: $0.integer(0))
        }
    }

    /// The domains of the organisation's names; empty where none were set.
    func domains() throws(MAMError) -> [String] {
        try database.all("SELECT domain FROM domains ORDER BY row") { $0.text(0) ?? "" }
    }

    /// The organisation's name; nil where it has none.
    package func tenantName() throws(MAMError) -> String? {
        try database.first("SELECT name FROM authority WHERE name IS NOT NULL") { $0.text(0) ?? "" }
    }

    /// The default tenant of new users.
    package func tenantId() throws(MAMError) -> String {
        try database.first("SELECT tenant FROM authority") { $0.text(0) ?? "" } ?? ""
    }
}
