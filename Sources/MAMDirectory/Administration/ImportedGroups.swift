import MAMSupport

/// The groups of a `user.import`: added where they are not there, with what shows that a name is misspelt.
struct ImportedGroups {
    private static let maximumPairs = 20
    /// Added groups are compared with each other up to this number.
    private static let maximumCompared = 500

    private let database: any SQLDatabase
    /// The rows of groups by their folded ids and names.
    private var rows: [[UInt8]: Int64] = [:]
    /// The names of groups as they were before, folded and as written.
    private var former: [[UInt8]: String] = [:]
    /// The names of groups by their rows, as they were before.
    private(set) var titles: [Int64: String] = [:]
    /// Groups that were added, in order.
    private var added: [(name: Identity, row: Int64)] = []
    /// How many users of the import joined each group.
    private var joined: [Int64: Int64] = [:]
    /// Groups that were added, with the nearest one that was there.
    private var near: [JSON] = []

    init(_ database: any SQLDatabase) throws(MAMError) {
        self.database = database
        try database.query("SELECT row, id_key, name_key, name FROM user_groups") {
            rows[$0.blob(1)] = $0.integer(0)
            rows[$0.blob(2)] = $0.integer(0)
            former[$0.blob(2)] = $0.text(3) ?? ""
            titles[$0.integer(0)] = $0.text(3)
        }
    }

    /// Members of the reply.
    var reply: [JSON.Member] {
        [
            ("groups", .strings(added.map(\.name.text))),
            ("members", .object(added.map { ($0.name.text, .integer(joined[$0.row] ?? 0)) })),
            ("nearGroups", .array(near)), ("similarGroups", .array(similar)),
        ]
    }

    /// The row of a group that is there.
    func row(of name: Identity) -> Int64? { rows[name.folded] }

    /// Make a user a member of groups, and the groups where they are not there.
    mutating func join(_ user: Int64, _ names: [Identity]) throws(MAMError) {
        var memberships: Set<Int64> = []
        for name in names { memberships.insert(try row(making: name)) }
        for group in memberships.sorted() {
            try database.run(
                "INSERT INTO members (group_row, user_row) VALUES (?, ?)", .integer(group), .integer(user))
            joined[group, default: 0] += 1
        }
    }

    private mutating func row(making name: Identity) throws(MAMError) -> Int64 {
        if let row = rows[name.folded] { return row }
        let id = try Identity(Store.newId())
        let row = try database.insert(
            "INSERT INTO user_groups (id, id_key, name, name_key) VALUES (?, ?, ?, ?)", .text(id.text),
            .blob(id.folded), .text(name.text), .blob(name.folded))
        (rows[id.folded], rows[name.folded]) = (row, row)
        added.append((name, row))
        if near.count < ImportedGroups.maximumPairs,
            let nearest = ImportedGroups.nearest(name.folded, among: former.keys).flatMap({ former[$0] })
        {
            near.append(["name": .string(name.text), "nearest": .string(nearest)])
        }
        return row
    }

    /// Pairs of added groups with names that resemble each other, first the smaller one, which is the misspelt one if any is.
    private var similar: [JSON] {
        guard added.count <= ImportedGroups.maximumCompared else { return [] }
        func count(_ group: (name: Identity, row: Int64)) -> Int64 { joined[group.row] ?? 0 }
        var pairs: [JSON] = []
        for (index, group) in added.enumerated() {
            for other in added[..<index]
            where ImportedGroups.nearest(group.name.folded, among: [other.name.folded]) != nil {
                let (fewer, more) = count(group) <= count(other) ? (group, other) : (other, group)
                pairs.append(["name": .string(fewer.name.text), "nearest": .string(more.name.text)])
            }
        }
        return Array(pairs.prefix(ImportedGroups.maximumPairs))
    }

    /// The folded name of a group that a new one resembles; nil where it resembles none. Names that differ in digits alone number their
    /// groups, and two edits make any short name of another.
    static func nearest(_ name: [UInt8], among others: some Sequence<[UInt8]>) -> [UInt8]? {
        func letters(_ name: [UInt8]) -> [UInt8] { name.filter { !(0x30...0x39).contains($0) } }
        guard name.count > 2 else { return nil }
        let own = letters(name)
        return NearestName.find(
            name, among: others.lazy.filter { $0.count > 2 && letters($0) != own }, limit: name.count < 6 ? 1 : 2)
    }
}
