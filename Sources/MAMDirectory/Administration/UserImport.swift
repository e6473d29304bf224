import MAMSupport

/// `user.import`: users and their groups, all of a list or none of it.
struct UserImport {
    static let maximum = 100_000
    private static let maximumStrangers = 20
    static let keys: [Action.Key] = [
        .required("upn", .account), .optional("accountId", .account), .optional("tenantId", .name),
        .optional("displayName", .label), .optional("enabled", .flag), .optional("licensed", .flag),
        .optional("groups", .list(.name, maximum: 256)),
    ]

    private let call: AdministrationCall
    private let tenant: String
    private let updates: Bool
    private let rotation: ExchangeKeyRotation
    /// Users by their folded ids and UPNs, as they were before.
    private let known: [[UInt8]: KnownUser]
    /// The names of the rows so far, and the known users that they are.
    private var taken: Set<[UInt8]> = []
    private var found: Set<Int64> = []
    private var groups: ImportedGroups
    private var added = BoundedNames()
    private var changed = BoundedNames()
    private var unchanged: Int64 = 0
    /// How many users changed in each column.
    private var changes: [(key: String, count: Int64)] = []
    /// Whether any user ever had another UPN; else none of the rows is looked up.
    private var hasFormerNames: Bool
    /// Notes about users who got the former UPN of another one.
    private var notes: [String] = []
    private var hasDisabled = false
    /// Users that an update added disabled: a leaver's name is probably misspelt.
    private var strangers: [Identity] = []
    private var omissions = ImportOmissions()

    static func run(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let domains = try UserDomains(call.store)
        var run = try UserImport(call)
        let lastUser = try call.database.first("SELECT max(row) FROM users") { $0.integer(0) } ?? 0
        for (index, element) in (call.arguments["users"]?.array ?? []).enumerated() {
            do throws(MAMError) { try run.add(ImportedUser(element)) } catch { throw error.at(index, of: "users") }
        }
        try run.rotation.finish()
        let missing = run.missing
        run.notes += run.omissions.renamed(missing)
        if run.hasDisabled { run.notes.append(UserActions.disabledNote) }
        let unreached = try PolicyReach(call.store).unreached(after: lastUser, call.store)
        let reply: JSON = [
            "added": .integer(run.added.count), "changed": .integer(run.changed.count),
            "unchanged": .integer(run.unchanged),
            "addedUsers": .strings(run.added.names), "changedUsers": .strings(run.changed.names),
            "changes": .object(run.changes.map { ($0.key, .integer($0.count)) }),
            "addedDisabled": .array(run.strangers.map(run.stranger)), "notes": .strings(run.notes),
            "nearDomains": try UserDomains(call.store).questioned(since: domains),
            "unreached": unreached ?? .null,
        ]
        return .object((reply.object ?? []) + run.groups.reply + run.omissions.reply(run.updates ? missing : []))
    }

    private init(_ call: AdministrationCall) throws(MAMError) {
        self.call = call
        tenant = try call.store.tenantId()
        updates = call.arguments.flag("update") ?? false
        rotation = try ExchangeKeyRotation(call.store, isForMany: true)
        known = try call.store.knownUsers()
        hasFormerNames = try call.store.hasFormerNames()
        groups = try ImportedGroups(call.database)
    }

    private mutating func add(_ user: ImportedUser) throws(MAMError) {
        let former = user.accountId.flatMap { known[$0.folded] } ?? known[user.upn.folded]
        let names: [(key: String, name: Identity?)] = [("upn", user.upn), ("accountId", user.accountId)]
        for case (let key, let name?) in names {
            if let other = known[name.folded], other.row != former?.row { throw other.hasName(key, call) }
            // The two names of one user may be the same.
            guard taken.insert(name.folded).inserted || key == "accountId" && name == user.upn else {
                throw repeated(key, name)
            }
        }
        guard let former else {
            let row = try insert(user)
            try groups.join(row, user.groups)
            if let name = user.displayName { omissions.noteNew(user.upn.text, displayName: name) }
            if updates, user.enabled == false, strangers.count < UserImport.maximumStrangers {
                strangers.append(user.upn)
            }
            return added.add(user.upn.text)
        }
        guard found.insert(former.row).inserted else { throw repeated("upn", user.upn) }
        if let id = user.accountId, id.folded != former.accountKey { throw former.hasName("upn", call) }
        try update(former, user)
    }

    private func repeated(_ key: String, _ name: Identity) -> MAMError {
        .argument(key, "\(ForeignText.quoted(name.text)) is the user of an earlier row as well")
    }

    private mutating func insert(_ user: ImportedUser) throws(MAMError) -> Int64 {
        let id: Identity
        if let given = user.accountId { id = given } else { id = try Identity(Store.newId()) }
        let row = try call.database.insert(
            """
            INSERT INTO users (account_id, account_key, upn, upn_key, tenant, display_name, enabled, licensed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, .text(id.text), .blob(id.folded), .text(user.upn.text), .blob(user.upn.folded),
            .text(user.tenantId ?? tenant), .optional(user.displayName), .bool(user.enabled ?? true),
            .bool(user.licensed ?? true))
        try rotation.rotate(accountKey: id.folded)
        try noteFormerName(user.upn, of: id.folded)
        return row
    }

    /// Change what differs from the row; memberships are added, never removed.
    private mutating func update(_ former: KnownUser, _ user: ImportedUser) throws(MAMError) {
        let different = former.differences(from: user)
        let missing = user.groups.filter { group in
            !(groups.row(of: group).map { former.groups.contains($0) } ?? false)
        }
        if updates, !user.groups.isEmpty {
            let listed = Set(user.groups.compactMap(groups.row))
            omissions.noteKept(
                former.groups.subtracting(listed).sorted().compactMap { groups.titles[$0] }, user.upn.text)
        }
        guard !different.isEmpty || !missing.isEmpty else { return unchanged += 1 }
        guard updates else {
            let first = different.first?.key ?? "groups"
            throw call.already(
                first,
                "the user \(former.upn) (\(former.accountId)) is here already, with other \(first); to change what is here "
                    + "give --update (\"update\":true)")
        }
        if different.contains(where: { $0.column == "upn_key" }) {
            try call.store.recordFormerName(former.upn, of: former.accountId)
            hasFormerNames = true
            try noteFormerName(user.upn, of: former.accountKey)
        }
        if former.enabled, user.enabled == false { hasDisabled = true }
        for (_, column, value) in different {
            try call.database.run("UPDATE users SET \(column) = ? WHERE row = ?", value, .integer(former.row))
        }
        try groups.join(former.row, missing)
        changed.add(user.upn.text)
        for key in different.filter({ $0.column != "upn_key" }).map(\.key) { count(key) }
        if !missing.isEmpty { count("groups") }
    }

    private mutating func noteFormerName(_ upn: Identity, of accountKey: [UInt8]) throws(MAMError) {
        guard hasFormerNames, notes.count < UserImport.maximumStrangers else { return }
        if let note = try call.store.noteOnFormerName(upn, of: accountKey) { notes.append(note) }
    }

    /// The users whom the list does not name, in their order.
    private var missing: [KnownUser] {
        // A user is known by two names.
        known.filter { $0.key == $0.value.accountKey && !found.contains($0.value.row) }.values.sorted {
            $0.row < $1.row
        }
    }

    private mutating func count(_ key: String) {
        if let index = changes.firstIndex(where: { $0.key == key }) {
            changes[index].count += 1
        } else {
            changes.append((key, 1))
        }
    }

    private func stranger(_ upn: Identity) -> JSON {
        let known = known.values.lazy.filter { $0.upn != upn.text }.map { Identity.fold($0.upn) }
        let nearest = NearestName.find(upn.folded, among: known).flatMap { self.known[$0]?.upn }
        return ["upn": .string(upn.text), "nearest": .optional(nearest)]
    }
}

/// A row of the list; nil leaves a value as it is, or gives the default of `user.add`.
private struct ImportedUser {
    let upn: Identity
    let accountId: Identity?
    let tenantId: String?
    let displayName: String?
    let enabled: Bool?
    let licensed: Bool?
    let groups: [Identity]

    init(_ json: JSON) throws(MAMError) {
        upn = try Identity(json["upn"]?.string ?? "", argument: "upn")
        accountId = try json["accountId"]?.string.map { (id) throws(MAMError) in
            try Identity(id, argument: "accountId")
        }
        tenantId = json["tenantId"]?.string
        displayName = json["displayName"]?.string
        enabled = json["enabled"]?.bool
        licensed = json["licensed"]?.bool
        groups = try (json["groups"]?.array ?? []).map { (name) throws(MAMError) in
            try Identity(name.string ?? "", argument: "groups")
        }
    }
}

/// A user that was there before the import.
struct KnownUser {
    let row: Int64
    let accountId: String
    let upn: String
    let tenant: String?
    let displayName: String?
    let enabled: Bool
    let licensed: Bool
    let groups: Set<Int64>

    var accountKey: [UInt8] { Identity.fold(accountId) }

    /// The columns that a row states otherwise, with its values.
    fileprivate func differences(from user: ImportedUser) -> [(key: String, column: String, value: SQLValue)] {
        var found: [(key: String, column: String, value: SQLValue)] = []
        func text(_ key: String, _ column: String, _ new: String?, _ old: String?) {
            guard let new, old.map({ $0.utf8.elementsEqual(new.utf8) }) != true else { return }
            found.append((key, column, .text(new)))
        }
        text("upn", "upn", user.upn.text, upn)
        if user.upn.folded != Identity.fold(upn) { found.append(("upn", "upn_key", .blob(user.upn.folded))) }
        text("tenantId", "tenant", user.tenantId, tenant)
        text("displayName", "display_name", user.displayName, displayName)
        if let new = user.enabled, new != enabled { found.append(("enabled", "enabled", .bool(new))) }
        if let new = user.licensed, new != licensed { found.append(("licensed", "licensed", .bool(new))) }
        return found
    }

    func hasName(_ key: String, _ call: AdministrationCall) -> MAMError {
        call.already(key, "a user with this id or UPN is there already: \(upn) (\(accountId))")
    }
}

extension Store {
    /// All users by their folded ids and UPNs.
    fileprivate func knownUsers() throws(MAMError) -> [[UInt8]: KnownUser] {
        var groups: [Int64: Set<Int64>] = [:]
        try database.query("SELECT user_row, group_row FROM members") {
            groups[$0.integer(0), default: []].insert($0.integer(1))
        }
        var users: [[UInt8]: KnownUser] = [:]
        try database.query(
            "SELECT row, account_id, upn, tenant, display_name, enabled, licensed, account_key, upn_key FROM users"
        ) {
            let user = KnownUser(
                row: $0.integer(0), accountId: $0.text(1) ?? "", upn: $0.text(2) ?? "", tenant: $0.text(3),
                displayName: $0.text(4), enabled: $0.bool(5), licensed: $0.bool(6),
                groups: groups[$0.integer(0)] ?? [])
            users[$0.blob(7)] = user
            users[$0.blob(8)] = user
        }
        return users
    }
}
