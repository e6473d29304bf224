import MAMProtection
import MAMSupport

/// Whose PIN, and what it is kept with.
public struct PINSubject: Sendable {
    /// The number of the account's PIN: the same in every app of the group.
    public let id: [UInt8]
    /// Of the group.
    public let key: PINKey
}

/// PINs of accounts: one an account, shared by the apps of a group, and left where it is by the wipe of an app.
public struct PINStore {
    let view: StateView

    /// What counting an attempt came to.
    public enum Counted: Sendable {
        /// There is no PIN.
        case notSet
        /// There is no attempt left.
        case exhausted(PINRecord)
        /// It counts from now on, whatever happens next.
        case counted(PINRecord)
    }

    /// The PIN of an account that is known by this name, in the form that is compared.
    public func subject(of account: [UInt8]) throws(MAMError) -> PINSubject {
        let key = try PINKey(group: try State.key("group", view.database, view.state.root))
        return PINSubject(id: try key.id(of: account), key: key)
    }

    /// What is known of it; nil where none was ever set, `.tampered` where the row is missing, put back or changed.
    public func load(_ subject: PINSubject) throws(MAMError) -> PINRecord? {
        let sealed = try view.database.first("SELECT record FROM pins WHERE id = ?", .blob(subject.id)) { $0.blob(0) }
        guard try roster.hasPIN(subject.id) == (sealed != nil) else { throw PINStore.tampered }
        guard let sealed else { return nil }
        guard let json = try? seal.open(sealed, id: subject.id, column: "record"), let record = PINRecord(json: json)
        else { throw PINStore.tampered }
        return record
    }

    /// Keep it, in place of what was there.
    public func store(_ record: PINRecord, _ subject: PINSubject) throws(MAMError) {
        let sealed = try seal.seal(record.json, id: subject.id, column: "record")
        try view.database.run("INSERT OR REPLACE INTO pins VALUES (?, ?)", .blob(subject.id), .blob(sealed))
        try roster.addPIN(subject.id)
    }

    /// Count an attempt. Committed before the PIN is looked at, so that a process killed meanwhile gains none.
    public func count(_ subject: PINSubject, limit: Int) throws(MAMError) -> Counted {
        guard var record = try load(subject) else { return .notSet }
        guard record.failures < Int64(limit) else { return .exhausted(record) }
        record.failures += 1
        try store(record, subject)
        return .counted(record)
    }

    private var roster: AccountRoster { AccountRoster(database: view.database, stateKey: view.state.stateKey) }
    private var seal: RowSeal { view.seal("pins") }

    private static let tampered = MAMError(
        .tampered,
        "the PIN's row in the state does not verify, or is missing: it was changed outside libmam; reset the PIN by signing in",
        [("table", "pins")])
}
