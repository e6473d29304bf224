import MAMProtection
import MAMSupport

/// The list of each app's accounts, in a row of `meta` that exists from the beginning, sealed under the state key. It detects
/// account rows that were deleted, damaged, or moved to another app. The group's PINs are listed as well.
struct AccountRoster {
    let database: Database
    let seal: RowSeal
    private static let name = "roster"
    private static let pins = ":pins"  // not a valid app id

    init(database: Database, stateKey: SealingKey) {
        self.database = database
        self.seal = RowSeal(key: stateKey, table: "meta")
    }

    /// Store the empty list of a new state.
    func make() throws(MAMError) { try store([]) }

    /// The accounts of an app. Each must have a row, and no other row may exist.
    func accounts(of app: String) throws(MAMError) -> [AccountRowID] { AccountRoster.ids(JSON.object(try load())[app]) }

    /// The accounts of all apps.
    func all() throws(MAMError) -> [AccountRowID] {
        try load().filter { $0.key != AccountRoster.pins }.flatMap { AccountRoster.ids($0.value) }
    }

    /// Whether the group has a PIN with this id. Its row must exist exactly then.
    func hasPIN(_ id: [UInt8]) throws(MAMError) -> Bool {
        try accounts(of: AccountRoster.pins).contains { $0.bytes == id }
    }

    func addPIN(_ id: [UInt8]) throws(MAMError) {
        if try !hasPIN(id) { try add(AccountRowID(id), of: AccountRoster.pins) }
    }

    func add(_ id: AccountRowID, of app: String) throws(MAMError) {
        var members = try load()
        if let index = members.firstIndex(where: { $0.key.utf8.elementsEqual(app.utf8) }) {
            members[index].value = .array((members[index].value.array ?? []) + [.string(id.hex)])
        } else {
            members.append((app, [.string(id.hex)]))
        }
        try store(members)
    }

    /// Remove an account of any app.
    func remove(_ id: AccountRowID) throws(MAMError) {
        let members = try load().map { (app, ids) in
            (key: app, value: JSON.array((ids.array ?? []).filter { $0.string != id.hex }))
        }
        try store(members.filter { $0.value.array?.isEmpty == false })
    }

    private func load() throws(MAMError) -> [(key: String, value: JSON)] {
        let sealed = try database.first("SELECT value FROM meta WHERE name = ?", .text(AccountRoster.name)) {
            $0.blob(0)
        }
        guard let sealed else {
            throw MAMError(
                .tampered,
                "\(database.path): its list of accounts is missing: it was changed outside libmam; put its newest copy back (an older one opens closed, until its accounts have checked in)",
                [("path", .string(database.path)), ("table", "meta")])
        }
        return try seal.open(sealed, id: Array(AccountRoster.name.utf8), column: "value").object ?? []
    }

    private func store(_ members: [(key: String, value: JSON)]) throws(MAMError) {
        let sealed = try seal.seal(.object(members), id: Array(AccountRoster.name.utf8), column: "value")
        try database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", .text(AccountRoster.name), .blob(sealed))
    }

    private static func ids(_ list: JSON?) -> [AccountRowID] {
        (list?.array ?? []).compactMap { entry in entry.string.flatMap { AccountRowID(hex: $0) } }
    }
}
