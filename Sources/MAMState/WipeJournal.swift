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
    /// Names that the account had before.
    public var formerNames: [String] = []
    /// Why: administrator, host, deregistration, pin, conditionalLaunch or offline.
    public var reason: String
    /// The authority's name for the enrollment; nil when there was none.
    public var registration: String?
    /// The authority's wipe request.
    public var wipe: Int64?
    /// How far it came.
    public var step: Step
    /// What the host answered; nil when it was not asked.
    public var hostRemovedData: Bool?
    /// What became of the files that the account owned; nil before the first of them is looked at.
    public var files: WipedFiles?
    /// How often the report failed.
    public var failures: Int64
    /// When to report next.
    public var nextReport: Instant?
    /// Whether it verifies, or its share shows that it was promised.
    public internal(set) var isTrusted = true

    init(id: [UInt8], app: String, account: AccountRowID) {
        self.id = id
        self.app = app
        self.account = account
        accountId = ""
        reason = "host"
        step = .promised
        failures = 0
    }

    /// A wipe that a tombstone promised, before it is in the journal: its id is empty.
    public init(unwritten account: AccountRowID, app: String, tag: AccountTag?, tombstone: Tombstone) {
        id = []
        self.app = app
        self.account = account
        accountId = tag?.accountId ?? ""
        upn = tag?.upn
        formerNames = tag?.formerNames ?? []
        reason = tombstone.reason
        registration = tag?.registration
        wipe = tombstone.wipe
        step = .promised
        failures = 0
    }

    init(_ unwritten: WipeEntry, id: [UInt8]) {
        self = WipeEntry(id: id, app: unwritten.app, account: unwritten.account)
        accountId = unwritten.accountId
        upn = unwritten.upn
        formerNames = unwritten.formerNames
        reason = unwritten.reason
        registration = unwritten.registration
        wipe = unwritten.wipe
    }

    /// Whether there is something left to do for it now: everything but a report whose time has not come.
    public func isDue(_ now: Instant) -> Bool {
        !id.isEmpty && (step < .removed || nextReport.map { $0 <= now } ?? false)
    }

    /// What an operation on it is about.
    public var subject: [UInt8] { id.isEmpty ? account.bytes : id }

    /// Every name that meant the account; none where the entry does not know whose it is.
    public var allNames: [String] { ([accountId, upn].compactMap(\.self) + formerNames).filter { !$0.isEmpty } }

    /// Whether a name is the account's, or was.
    public func isOf(_ identity: Identity) -> Bool { allNames.contains { Identity.fold($0) == identity.folded } }

    /// The steps in their order; each is durable before the next begins.
    public enum Step: Int64, Comparable, Sendable {
        /// Promised: the share is a tombstone, nothing of the account opens any more, and every process refuses it.
        case promised = 0
        /// The share's file is gone as well.
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

    /// Write a promise down, whose key is destroyed; the result has an id. Should the commit fail, the tombstone brings the
    /// promise back.
    public func add(_ unwritten: WipeEntry) throws(MAMError) -> WipeEntry {
        let entry = WipeEntry(unwritten, id: try randomBytes(16))
        try view.database.run(
            "INSERT INTO journal (id, app, account, record) VALUES (?, ?, ?, ?)", .blob(entry.id), .text(entry.app),
            .blob(entry.account.bytes), .blob(try sealed(entry)))
        return entry
    }

    /// The accounts of every entry, whether or not it verifies.
    func accounts() throws(MAMError) -> [AccountRowID] {
        try view.database.all("SELECT account FROM journal") { AccountRowID($0.blob(0)) }
    }

    /// Every open entry of the group, the oldest first.
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

    /// An entry that does not verify. A share that is a tombstone, or gone, shows that it was promised: then it is just
    /// begun. Otherwise nothing is deleted on its word; the account stays closed.
    private func distrusted(_ base: WipeEntry) -> WipeEntry {
        var entry = base
        do throws(MAMError) {
            switch try view.state.shares.load(base.account) {
            case .key: entry.isTrusted = false
            case .missing: break
            case .tombstone(let tombstone):
                entry.reason = tombstone.reason
                entry.wipe = tombstone.wipe
            }
        } catch { entry.isTrusted = error.code == .keyUnavailable }
        return entry
    }

    /// Note that a step was reached; what went further already stays there. The result is whether it was news.
    public func reach(_ step: WipeEntry.Step, _ entry: WipeEntry) throws(MAMError) -> Bool {
        guard var stored = try all().first(where: { $0.id == entry.id }), stored.isTrusted, stored.step < step else {
            return false
        }
        stored.step = step
        try update(stored)
        return true
    }

    /// Write down how far it came.
    public func update(_ entry: WipeEntry) throws(MAMError) {
        try view.database.run("UPDATE journal SET record = ? WHERE id = ?", .blob(try sealed(entry)), .blob(entry.id))
    }

    /// It is done.
    public func remove(_ entry: WipeEntry) throws(MAMError) {
        try view.database.run("DELETE FROM journal WHERE id = ?", .blob(entry.id))
    }

    /// Remove the rows of an entry's account, whichever app of the group it is of.
    public func removeRows(of entry: WipeEntry) throws(MAMError) {
        try view.accounts.remove(entry.account)
        try view.files.removeAll(of: entry.account)
        try view.pages.forget(entry.account)
    }

    private var seal: RowSeal { view.seal("journal") }

    private func sealed(_ entry: WipeEntry) throws(MAMError) -> [UInt8] {
        let json: JSON = [
            "app": .string(entry.app), "account": .string(entry.account.hex), "accountId": .string(entry.accountId),
            "upn": .optional(entry.upn), "formerNames": .strings(entry.formerNames),
            "reason": .string(entry.reason), "registration": .optional(entry.registration),
            "wipe": entry.wipe.map(JSON.integer) ?? .null, "step": .integer(entry.step.rawValue),
            "hostRemovedData": entry.hostRemovedData.map(JSON.bool) ?? .null, "failures": .integer(entry.failures),
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
        entry.reason = json["reason"]?.string ?? "host"
        entry.registration = json["registration"]?.string
        entry.wipe = json["wipe"]?.integer
        entry.step = json["step"]?.integer.flatMap(WipeEntry.Step.init(rawValue:)) ?? .promised
        entry.hostRemovedData = json["hostRemovedData"]?.bool
        entry.failures = json["failures"]?.integer ?? 0
        entry.files = json["files"].flatMap(WipedFiles.init(json:))
        entry.nextReport = json["nextReport"]?.integer.map(Instant.init(milliseconds:))
        return entry
    }
}
