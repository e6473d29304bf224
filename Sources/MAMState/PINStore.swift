import MAMProtection
import MAMSupport

/// The id and key of an account's PIN.
public struct PINSubject: Sendable {
    /// The id of the PIN, equal in all apps of the group.
    public let id: [UInt8]
    /// The group's PIN key.
    public let key: PINKey
}

/// PINs, one per account. The apps of a group share them, and the wipe of one app keeps them.
public struct PINStore {
    let view: StateView

    /// The result of counting an attempt.
    public enum AttemptResult: Sendable {
        /// There is no PIN.
        case notSet
        /// No attempt is left.
        case exhausted(PINRecord)
        /// The attempt was counted.
        case counted(PINRecord)
    }

    /// The PIN of an account, by its folded name.
    public func subject(of account: [UInt8]) throws(MAMError) -> PINSubject {
        let key = try PINKey(group: try State.key("group", view.database, view.state.root))
        return PINSubject(id: try key.id(of: account), key: key)
    }

    /// Load a PIN; nil where none was set. Fails with `.tampered` where the row is missing, restored or changed.
    public func load(_ subject: PINSubject) throws(MAMError) -> PINRecord? {
        let sealed = try view.database.first("SELECT record FROM pins WHERE id = ?", .blob(subject.id)) { $0.blob(0) }
        guard try roster.hasPIN(subject.id) == (sealed != nil) else { throw PINStore.tampered }
        guard let sealed else { return nil }
        guard let json = try? seal.open(sealed, id: subject.id, column: "record"), let record = PINRecord(json: json)
        else { throw PINStore.tampered }
        return record
    }

    /// Store a PIN, in place of a former one.
    public func store(_ record: PINRecord, _ subject: PINSubject) throws(MAMError) {
        let sealed = try seal.seal(record.json, id: subject.id, column: "record")
        try view.database.run("INSERT OR REPLACE INTO pins VALUES (?, ?)", .blob(subject.id), .blob(sealed))
        try roster.addPIN(subject.id)
    }

    /// Count an attempt. Commit this before the PIN is compared, so that killing the process does not grant another attempt.
    public func countAttempt(_ subject: PINSubject, limit: Int) throws(MAMError) -> AttemptResult {
        guard var record = try load(subject) else { return .notSet }
        guard record.countedAttempts < Int64(limit) else { return .exhausted(record) }
        record.countedAttempts += 1
        try store(record, subject)
        return .counted(record)
    }

    /// Record that an app wiped the account for its used-up attempts: enrolled again, it is not wiped for the same ones.
    func markWiped(_ accountId: String, in app: String) throws(MAMError) {
        let subject = try subject(of: Identity.fold(accountId))
        guard var record = try load(subject) else { return }
        record.wipedIn = record.wipedIn.filter { $0 != app } + [app]
        try store(record, subject)
    }

    private var roster: AccountRoster { AccountRoster(database: view.database, stateKey: view.state.stateKey) }
    private var seal: RowSeal { view.seal("pins") }

    private static let tampered = MAMError(
        .tampered,
        "the PIN's row in the state does not verify, or is missing: it was changed outside libmam; reset the PIN by signing in",
        [("table", "pins")])
}
