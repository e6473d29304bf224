import MAMProtection
import MAMSupport

/// How far the state has come: one sealed row of `meta`, which a state has from its first day.
///
/// The counter grows with every commit that somebody could gain by taking back. It stands under the same seal as the device
/// tag and the generation, so that none of them can be set, only an older row be put back: then it is lower than what is
/// known, and the accounts stay closed until they have checked in.
struct Standing: Equatable {
    /// A random number that stands for this computer and group at the authority.
    var deviceTag: String
    /// Counts the commits that every process must obey.
    var generation: Int64
    /// Counts those commits, attempts at PINs, what persons have shown, and steps of wipes.
    var counter: Int64
    /// The highest counter that was known when this state was found to be older; 0 where it was not. It stays until a
    /// check-in has succeeded.
    var behind: Int64 = 0
    /// Accounts that stay closed since then: another account's check-in has succeeded, theirs has not.
    var closed: [AccountRowID] = []
    /// Accounts that are being added: what they have of shares is removed where that was not finished.
    var unfinished: [AccountRowID] = []

    /// A state's first.
    init(deviceTag: String, count: Int64 = 0) {
        self.deviceTag = deviceTag
        generation = count
        counter = count
    }

    /// Nil where a number is missing or none.
    init?(json: JSON) {
        guard let tag = json["deviceTag"]?.string, let generation = Standing.count(json["generation"]),
            let counter = Standing.count(json["counter"])
        else { return nil }
        deviceTag = tag
        self.generation = generation
        self.counter = counter
        behind = Standing.count(json["behind"]) ?? 0
        closed = Standing.ids(json["closed"])
        unfinished = Standing.ids(json["unfinished"])
    }

    var json: JSON {
        var members: [(key: String, value: JSON)] = [
            ("deviceTag", .string(deviceTag)), ("generation", .integer(generation)), ("counter", .integer(counter)),
        ]
        if behind > 0 { members.append(("behind", .integer(behind))) }
        for (name, ids) in [("closed", closed), ("unfinished", unfinished)] where !ids.isEmpty {
            members.append((name, .strings(ids.map(\.hex))))
        }
        return .object(members)
    }

    /// Above what is kept and what an authority claims to have seen; a claim that nobody can have reached counts as none.
    static func above(_ counts: Int64...) -> Int64 { (counts.filter { $0 < limit }.max() ?? 0) + 1 }

    static func newTag() throws(MAMError) -> String { hexadecimal(try randomBytes(16)) }

    private static let limit = Int64.max >> 1
    private static func count(_ json: JSON?) -> Int64? {
        json?.integer.flatMap { (0..<Int64.max).contains($0) ? $0 : nil }
    }
    private static func ids(_ json: JSON?) -> [AccountRowID] {
        (json?.array ?? []).compactMap { $0.string.flatMap { AccountRowID(hex: $0) } }
    }
}

/// The row of a ``Standing``. Without it nobody would learn of a wipe: where it is missing or does not verify, nothing is read.
struct StandingRow {
    let database: Database
    let seal: RowSeal
    private static let name = "standing"

    init(_ database: Database, _ stateKey: SealingKey) {
        self.database = database
        seal = RowSeal(key: stateKey, table: "meta")
    }

    /// As it is stored.
    func sealed() throws(MAMError) -> [UInt8]? {
        try database.first("SELECT value FROM meta WHERE name = ?", .text(StandingRow.name)) { $0.blob(0) }
    }

    func open(_ sealed: [UInt8]?) throws(MAMError) -> Standing {
        let json = sealed.flatMap { try? seal.open($0, id: Array(StandingRow.name.utf8), column: "value") }
        guard let standing = json.flatMap(Standing.init(json:)) else {
            throw MAMError(
                .tampered,
                "\(database.path): how far it has come is missing or does not verify: it was changed outside libmam; put the newest copy of the whole directory back, or remove the directory to begin anew",
                [("path", .string(database.path)), ("table", "meta")])
        }
        return standing
    }

    /// The result is what was stored.
    func store(_ standing: Standing) throws(MAMError) -> [UInt8] {
        let sealed = try seal.seal(standing.json, id: Array(StandingRow.name.utf8), column: "value")
        try database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", .text(StandingRow.name), .blob(sealed))
        return sealed
    }
}
