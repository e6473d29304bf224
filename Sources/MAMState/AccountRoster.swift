import MAMProtection
import MAMSupport

/// Which accounts each app of the group has, in one row under the state key that a state has from its first day: an account
/// whose row is gone, by damage or by somebody's hand, is missed instead of being forgotten, and one that was given to
/// another app is found out. The PINs of the group are listed with them. Beside the meta rows without which nothing opens.
struct AccountRoster {
    let database: Database
    let seal: RowSeal
    private static let name = "roster"
    private static let pins = ":pins"  // no app's id

    init(database: Database, stateKey: SealingKey) {
        self.database = database
        self.seal = RowSeal(key: stateKey, table: "meta")
    }

    /// The roster of a new state.
    func make() throws(MAMError) { try store([]) }

    /// The accounts of an app; every one of its rows has to be there, and no other.
    func accounts(of app: String) throws(MAMError) -> [AccountRowID] { AccountRoster.ids(JSON.object(try load())[app]) }

    /// The accounts of every app.
    func all() throws(MAMError) -> [AccountRowID] {
        try load().filter { $0.key != AccountRoster.pins }.flatMap { AccountRoster.ids($0.value) }
    }

    /// Whether the group has a PIN of this number: then its row has to be there, and otherwise it may not.
    func hasPIN(_ id: [UInt8]) throws(MAMError) -> Bool {
        try accounts(of: AccountRoster.pins).contains { $0.bytes == id }
    }

    func addPIN(_ id: [UInt8]) throws(MAMError) {
        if try !hasPIN(id) { try add(AccountRowID(id), of: AccountRoster.pins) }
    }

    func add(_ id: AccountRowID, of app: String) throws(MAMError) {
        var members = try load()
        if let place = members.firstIndex(where: { $0.key.utf8.elementsEqual(app.utf8) }) {
            members[place].value = .array((members[place].value.array ?? []) + [.string(id.hex)])
        } else {
            members.append((app, [.string(id.hex)]))
        }
        try store(members)
    }

    /// Whichever app it is of.
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
