import MAMProtection
import MAMSupport

/// The state's counters and device tag: one sealed row of `meta`, which exists from the beginning.
///
/// The counter grows with every commit whose reversal would benefit an attacker. It shares a seal with device tag and generation,
/// so that an attacker can only restore the whole row. The counter is then lower than the known one, and accounts stay closed until
/// a check-in.
struct CounterRecord: Equatable {
    /// The random id of this computer and group at the authority.
    var deviceTag: String
    /// The number of commits that every process must load.
    var generation: Int64
    /// The number of those commits, of PIN attempts, of records of user presence, and of wipe steps.
    var counter: Int64
    /// Random bytes that are new with each counter, so that two copies of a state differ as soon as each has counted on; empty where
    /// an older release counted last.
    var head: [UInt8] = []
    /// The highest known counter when a rollback was detected; else 0. Cleared by the next successful check-in.
    var behind: Int64 = 0
    /// Accounts that stay closed after a rollback until their own check-in succeeds.
    var closed: [AccountRowID] = []
    /// Accounts that are being added. Their shares are removed if that does not complete.
    var unfinished: [AccountRowID] = []

    /// The record of a new state.
    init(deviceTag: String, count: Int64 = 0) {
        self.deviceTag = deviceTag
        generation = count
        counter = count
    }

    /// Fails for a missing or negative number.
    init?(json: JSON) {
        guard let tag = json["deviceTag"]?.string, let generation = CounterRecord.count(json["generation"]),
            let counter = CounterRecord.count(json["counter"])
        else { return nil }
        deviceTag = tag
        self.generation = generation
        self.counter = counter
        head = json["head"]?.string.flatMap(bytes(hexadecimal:)) ?? []
        behind = CounterRecord.count(json["behind"]) ?? 0
        closed = CounterRecord.ids(json["closed"])
        unfinished = CounterRecord.ids(json["unfinished"])
    }

    var json: JSON {
        var members: [(key: String, value: JSON)] = [
            ("deviceTag", .string(deviceTag)), ("generation", .integer(generation)), ("counter", .integer(counter)),
        ]
        if !head.isEmpty { members.append(("head", .string(hexadecimal(head)))) }
        if behind > 0 { members.append(("behind", .integer(behind))) }
        for (name, ids) in [("closed", closed), ("unfinished", unfinished)] where !ids.isEmpty {
            members.append((name, .strings(ids.map(\.hex))))
        }
        return .object(members)
    }

    /// Returns a counter above all given ones. Implausibly large claims are ignored.
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

/// The row of the ``CounterRecord``. Nothing is read from a state in which it is missing or does not verify, since wipes might go
/// unnoticed.
struct CounterRow {
    let database: Database
    let seal: RowSeal
    private static let name = "standing"

    init(_ database: Database, _ stateKey: SealingKey) {
        self.database = database
        seal = RowSeal(key: stateKey, table: "meta")
    }

    /// The stored bytes.
    func sealed() throws(MAMError) -> [UInt8]? {
        try database.first("SELECT value FROM meta WHERE name = ?", .text(CounterRow.name)) { $0.blob(0) }
    }

    func open(_ sealed: [UInt8]?) throws(MAMError) -> CounterRecord {
        let json = sealed.flatMap { try? seal.open($0, id: Array(CounterRow.name.utf8), column: "value") }
        guard let counterRecord = json.flatMap(CounterRecord.init(json:)) else {
            throw MAMError(
                .tampered,
                "\(database.path): how far it has come is missing or does not verify: it was changed outside libmam; put the newest copy of the whole directory back, or remove the directory to begin anew",
                [("path", .string(database.path)), ("table", "meta")])
        }
        return counterRecord
    }

    /// Store a record. Returns the stored bytes.
    func store(_ counterRecord: CounterRecord) throws(MAMError) -> [UInt8] {
        let sealed = try seal.seal(counterRecord.json, id: Array(CounterRow.name.utf8), column: "value")
        try database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", .text(CounterRow.name), .blob(sealed))
        return sealed
    }
}
