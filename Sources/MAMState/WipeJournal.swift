import MAMPolicy
import MAMSupport

/// An entry of the wipe journal.
public struct WipeEntry: Sendable {
    /// The random id; empty before the entry is in the journal.
    public let id: [UInt8]
    /// The app whose data is wiped.
    public let app: String
    /// The account's row.
    public let account: AccountRowID
    /// The account id for the report and the events; empty where it is unknown.
    public var accountId: String
    /// The account's UPN.
    public var upn: String?
    /// Former names of the account.
    public var formerNames: [String] = []
    /// The domains that the authority states of its tenant; empty once the entry is in the journal.
    var domains: [String] = []
    /// The account's tenant.
    public var tenantId: String?
    /// The reason of the wipe.
    public var reason: WipeReason
    /// The authority's id of the enrollment; nil without one.
    public var registration: String?
    /// The id of the authority's wipe request.
    public var wipe: Int64?
    /// The last completed step.
    public var step: Step
    /// Whether the host removed its data itself; nil before its answer.
    public var hostRemovedData: Bool?
    /// The results of removing owned files; nil before that begins.
    public var files: FileRemovalReport?
    /// Whether the authority has the report. Files that could not be removed keep the entry.
    public var isReported = false
    /// Failures of the report.
    public var failures: Int64
    /// The time of the next report.
    public var nextReport: Instant?
    /// Whether the entry verifies, or its share proves the wipe.
    public internal(set) var isTrusted = true

    init(id: [UInt8], app: String, account: AccountRowID) {
        self.id = id
        self.app = app
        self.account = account
        accountId = ""
        reason = .host
        step = .promised
        failures = 0
    }

    /// An entry made from a tombstone, not yet in the journal.
    public init(notInJournal account: AccountRowID, app: String, tag: AccountTag?, tombstone: Tombstone) {
        id = []
        self.app = app
        self.account = account
        accountId = tag?.accountId ?? ""
        upn = tag?.upn
        formerNames = tag?.formerNames ?? []
        domains = tag?.domains ?? []
        tenantId = tag?.tenantId
        reason = tombstone.reason
        registration = tag?.registration
        wipe = tombstone.wipe
        step = .promised
        failures = 0
    }

    init(_ missing: WipeEntry, id: [UInt8]) {
        self = WipeEntry(id: id, app: missing.app, account: missing.account)
        accountId = missing.accountId
        upn = missing.upn
        formerNames = missing.formerNames
        tenantId = missing.tenantId
        reason = missing.reason
        registration = missing.registration
        wipe = missing.wipe
    }

    /// Whether files of the account are still to be removed after the wipe.
    public var hasFilesLeft: Bool { files.map { $0.retried > 0 } ?? false }

    /// The subject of the operation that carries out the wipe.
    public var subject: [UInt8] { id.isEmpty ? account.bytes : id }

    /// Every name of the account; empty where the entry does not know them.
    public var allNames: [String] { ([accountId, upn].compactMap(\.self) + formerNames).filter { !$0.isEmpty } }

    /// Whether a name is or was the account's.
    public func isOf(_ identity: Identity) -> Bool { allNames.contains { Identity.fold($0) == identity.folded } }

    /// The steps in order. Each is durable before the next one begins.
    public enum Step: Int64, Comparable, Sendable {
        /// The share is a tombstone: nothing of the account opens, and every process refuses it.
        case promised = 0
        /// The share's file is removed.
        case shredded = 1
        /// The host was asked to remove its data.
        case asked = 2
        /// Rows are deleted, the WAL is truncated and events are stored. Only the report to the authority is left.
        case removed = 3

        /// Whether a step precedes another.
        public static func < (a: Step, b: Step) -> Bool { a.rawValue < b.rawValue }
    }
}

/// The wipe journal. Its entries are carried out even if processes are killed.
public struct WipeJournal {
    let view: StateView

    /// Promise a wipe after its key was destroyed: the account ends at `time`, and its entry is added. Returns the entry that is in the journal;
    /// nil if another process has finished the wipe meanwhile. If the commit fails, the tombstone restores the entry.
    public func promise(_ missing: WipeEntry, at time: Instant) throws(MAMError) -> WipeEntry? {
        if let promised = try all().first(where: { $0.account == missing.account }) { return promised }
        guard try view.accounts.isOwn(missing.account) else { return nil }
        try view.endAccount(.wiped(missing), at: time)
        return try add(missing)
    }

    /// Add an entry. Returns it with its id.
    func add(_ missing: WipeEntry) throws(MAMError) -> WipeEntry {
        let entry = WipeEntry(missing, id: try randomBytes(16))
        try view.database.run(
            "INSERT INTO journal (id, app, account, record) VALUES (?, ?, ?, ?)", .blob(entry.id), .text(entry.app),
            .blob(entry.account.bytes), .blob(try sealed(entry)))
        return entry
    }

    /// The accounts of all entries, including those that do not verify.
    func accounts() throws(MAMError) -> [AccountRowID] {
        try view.database.all("SELECT account FROM journal") { AccountRowID($0.blob(0)) }
    }

    /// All entries of the group, the oldest first.
    public func all() throws(MAMError) -> [WipeEntry] {
        try view.database.all("SELECT id, app, account, record FROM journal ORDER BY number") { row throws(MAMError) in
            let base = WipeEntry(id: row.blob(0), app: row.text(1) ?? "", account: AccountRowID(row.blob(2)))
            let json = try? seal.open(row.blob(3), id: base.id, column: "record")
            if let json, json["app"]?.string == base.app, json["account"]?.string == base.account.hex {
                return WipeJournal.entry(base, json)
            }
            return distrusted(base)
        }
    }

    /// Returns an entry that does not verify. If the share is a tombstone or missing, the wipe is proven and starts over. Otherwise
    /// nothing is deleted, and the account stays closed.
    private func distrusted(_ base: WipeEntry) -> WipeEntry {
        var entry = base
        do throws(MAMError) {
            switch try view.state.shares.load(base.account) {
            case .present: entry.isTrusted = false
            case .missing: break
            case .tombstone(let tombstone):
                entry.reason = tombstone.reason
                entry.wipe = tombstone.wipe
            }
        } catch { entry.isTrusted = error.code == .keyUnavailable }
        return entry
    }

    /// Store a completed step, unless the entry is past it. Returns whether the entry changed.
    public func advance(_ step: WipeEntry.Step, _ entry: WipeEntry) throws(MAMError) -> Bool {
        guard var stored = try all().first(where: { $0.id == entry.id }), stored.isTrusted, stored.step < step else {
            return false
        }
        stored.step = step
        try update(stored)
        return true
    }

    /// Store an entry.
    public func update(_ entry: WipeEntry) throws(MAMError) {
        try view.database.run("UPDATE journal SET record = ? WHERE id = ?", .blob(try sealed(entry)), .blob(entry.id))
    }

    /// Remove a completed entry.
    public func remove(_ entry: WipeEntry) throws(MAMError) {
        try view.database.run("DELETE FROM journal WHERE id = ?", .blob(entry.id))
    }

    /// Delete the rows of the entry's account, whatever its app.
    public func removeRows(of entry: WipeEntry) throws(MAMError) {
        try view.accounts.remove(entry.account)
        if !entry.hasFilesLeft { try view.files.removeAll(of: entry.account) }
        try view.pages.forget(entry.account)
    }

    private var seal: RowSeal { view.seal("journal") }

    private func sealed(_ entry: WipeEntry) throws(MAMError) -> [UInt8] {
        let json: JSON = [
            "app": .string(entry.app), "account": .string(entry.account.hex), "accountId": .string(entry.accountId),
            "upn": .optional(entry.upn), "formerNames": .strings(entry.formerNames),
            "tenantId": .optional(entry.tenantId), "reason": .string(entry.reason.rawValue),
            "registration": .optional(entry.registration),
            "wipe": entry.wipe.map(JSON.integer) ?? .null, "step": .integer(entry.step.rawValue),
            "hostRemovedData": entry.hostRemovedData.map(JSON.bool) ?? .null, "failures": .integer(entry.failures),
            "isReported": .bool(entry.isReported),
            "nextReport": entry.nextReport.map { .integer($0.milliseconds) } ?? .null,
            "files": entry.files?.json ?? .null,
        ]
        return try seal.seal(json, id: entry.id, column: "record")
    }

    private static func entry(_ base: WipeEntry, _ json: JSON) -> WipeEntry {
        var entry = base
        entry.accountId = json["accountId"]?.string ?? ""
        entry.upn = json["upn"]?.string
        entry.formerNames = AccountTag.names(json["formerNames"])
        entry.tenantId = json["tenantId"]?.string
        entry.reason = json["reason"]?.string.flatMap(WipeReason.init(rawValue:)) ?? .host
        entry.registration = json["registration"]?.string
        entry.wipe = json["wipe"]?.integer
        entry.step = json["step"]?.integer.flatMap(WipeEntry.Step.init(rawValue:)) ?? .promised
        entry.hostRemovedData = json["hostRemovedData"]?.bool
        entry.isReported = json["isReported"]?.bool ?? false
        entry.failures = json["failures"]?.integer ?? 0
        entry.files = json["files"].flatMap(FileRemovalReport.init(json:))
        entry.nextReport = json["nextReport"]?.integer.map(Instant.init(milliseconds:))
        return entry
    }
}
