import MAMSupport

/// One promised wipe.
public struct WipeEntry: Sendable {
    /// Its random number.
    public let id: [UInt8]
    /// The app that it wipes.
    public let app: String
    /// The account's row.
    public let account: AccountRowID
    /// The account's id, for the report and the events; "" where it was not known.
    public var accountId: String
    /// The account's UPN.
    public var upn: String?
    /// Why: administrator, host or deregistration.
    public var reason: String
    /// The authority's name for the enrollment; nil when there was none.
    public var registration: String?
    /// The authority's wipe request.
    public var wipe: Int64?
    /// How far it came.
    public var step: Step
    /// What the host answered; nil when it was not asked.
    public var hostRemovedData: Bool?
    /// How often the report failed.
    public var failures: Int64
    /// When to report next.
    public var nextReport: Instant?

    /// The steps in their order; each is durable before the next begins.
    public enum Step: Int64, Comparable, Sendable {
        /// Promised: every process refuses the account.
        case promised = 0
        /// The share is gone: nothing of the account opens any more.
        case shredded = 1
        /// The host was asked to remove its data.
        case asked = 2
        /// Rows are gone and the log is empty; the events are kept. Only the report to the authority is left.
        case removed = 3

        /// Whether one comes before the other.
        public static func < (a: Step, b: Step) -> Bool { a.rawValue < b.rawValue }
    }
}

/// The wipe journal: what is in it gets done, whoever is killed when.
public struct WipeJournal {
    let view: StateView

    /// Promise a wipe of an account of this app.
    public func add(_ account: AccountRowID, _ fill: (inout WipeEntry) -> Void) throws(MAMError) -> WipeEntry {
        var entry = WipeEntry(
            id: try randomBytes(16), app: view.state.app, account: account, accountId: "", reason: "host",
            step: .promised,
            failures: 0)
        fill(&entry)
        try view.database.run(
            "INSERT INTO journal (id, app, account, record) VALUES (?, ?, ?, ?)", .blob(entry.id), .text(entry.app),
            .blob(account.bytes), .blob(try seal(entry)))
        return entry
    }

    /// Every open entry of the group, the oldest first. An entry that does not verify counts as just promised: a wipe is
    /// never lost to a changed row.
    public func all() throws(MAMError) -> [WipeEntry] {
        try view.database.all("SELECT id, app, account, record FROM journal ORDER BY number") { row throws(MAMError) in
            let id = row.blob(0)
            let base = WipeEntry(
                id: id, app: row.text(1) ?? "", account: AccountRowID(row.blob(2)), accountId: "", reason: "host",
                step: .promised, failures: 0)
            guard
                let json = try? RowSeal(key: view.state.stateKey, table: "journal").open(
                    row.blob(3), id: id, column: "record"),
                json["app"]?.string == base.app, json["account"]?.string == base.account.hex
            else { return base }
            return WipeJournal.entry(base, json)
        }
    }

    /// Write down how far it came.
    public func update(_ entry: WipeEntry) throws(MAMError) {
        try view.database.run("UPDATE journal SET record = ? WHERE id = ?", .blob(try seal(entry)), .blob(entry.id))
    }

    /// It is done.
    public func remove(_ entry: WipeEntry) throws(MAMError) {
        try view.database.run("DELETE FROM journal WHERE id = ?", .blob(entry.id))
    }

    /// Remove the rows of an entry's account, whichever app of the group it is of.
    public func removeRows(of entry: WipeEntry) throws(MAMError) { try view.accounts.remove(entry.account) }

    private func seal(_ entry: WipeEntry) throws(MAMError) -> [UInt8] {
        let json: JSON = [
            "app": .string(entry.app), "account": .string(entry.account.hex), "accountId": .string(entry.accountId),
            "upn": .optional(entry.upn), "reason": .string(entry.reason), "registration": .optional(entry.registration),
            "wipe": entry.wipe.map(JSON.integer) ?? .null, "step": .integer(entry.step.rawValue),
            "hostRemovedData": entry.hostRemovedData.map(JSON.bool) ?? .null, "failures": .integer(entry.failures),
            "nextReport": entry.nextReport.map { .integer($0.milliseconds) } ?? .null,
        ]
        return try view.seal("journal").seal(json, id: entry.id, column: "record")
    }

    private static func entry(_ base: WipeEntry, _ json: JSON) -> WipeEntry {
        var entry = base
        entry.accountId = json["accountId"]?.string ?? ""
        entry.upn = json["upn"]?.string
        entry.reason = json["reason"]?.string ?? "host"
        entry.registration = json["registration"]?.string
        entry.wipe = json["wipe"]?.integer
        entry.step = json["step"]?.integer.flatMap(WipeEntry.Step.init(rawValue:)) ?? .promised
        entry.hostRemovedData = json["hostRemovedData"]?.bool
        entry.failures = json["failures"]?.integer ?? 0
        entry.nextReport = json["nextReport"]?.integer.map(Instant.init(milliseconds:))
        return entry
    }
}

extension State {
    /// Destroy the share of a promised wipe: from here on nothing of the account can be opened by anyone.
    public func shred(_ account: AccountRowID) throws(MAMError) { try shares.shred(account) }

    /// A lock that one process of the group holds while it carries out wipes; nil when another one does.
    public func wipeLease() throws(MAMError) -> WipeLease? { try WipeLease(directory: directory) }
}
