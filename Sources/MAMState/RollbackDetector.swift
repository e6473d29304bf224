import MAMProtection
import MAMSupport

/// Detects a database that is older than the counter's file or this session. Where the whole directory is older, the authority detects
/// it at the next check-in: `Store+CheckIn` (MAMDirectory), `Service+Copies` (MAMService).
final class RollbackDetector {
    let file: CounterFile
    /// The record in the current or latest transaction. A commit that advances the counter stores it with the changes of its body.
    var record: CounterRecord
    /// The highest known counter.
    private(set) var highest: Int64
    /// Whether the database is older than the highest known counter.
    private(set) var isRolledBack: Bool
    /// The highest known counter, while the database is older.
    var reached: Int64? { isRolledBack ? max(highest, record.behind) : nil }
    private let key: SealingKey
    private var sealed: [UInt8]
    private var opened: CounterRecord
    /// The record at the beginning of the latest transaction; nil once it is over.
    private var former: (sealed: [UInt8], opened: CounterRecord)?

    /// Read the record when the state is opened.
    init(_ database: Database, _ key: SealingKey, _ file: CounterFile, _ earlierCounter: [UInt8]) throws(MAMError) {
        self.file = file
        self.key = key
        let row = CounterRow(database, key)
        let found = try row.sealed()
        record = try row.open(found)
        (sealed, opened) = (found ?? [], record)
        highest = max(record.counter, file.open(earlierCounter, key))
        isRolledBack = record.behind > 0 || record.counter < highest
    }

    /// Read the record in a transaction; `earlierCounter` is the counter file as it was before. Returns whether `isRolledBack` changed.
    func update(_ database: Database, _ earlierCounter: [UInt8]) throws(MAMError) -> Bool {
        let row = CounterRow(database, key)
        let found = try row.sealed()
        if found != sealed { (opened, sealed) = (try row.open(found), found ?? []) }
        record = opened
        former = (sealed, opened)
        highest = max(highest, record.counter, file.open(earlierCounter, key))
        let wasRolledBack = isRolledBack
        isRolledBack = record.behind > 0 || record.counter < highest
        return isRolledBack != wasRolledBack
    }

    /// Return to the record before a transaction that failed: the head of a commit that never was must not be reported.
    func failed() {
        guard let former else { return }
        (sealed, opened) = former
        record = opened
        self.former = nil
    }

    /// Record, in a transaction, an account whose share is made next.
    func noteUnfinished(_ id: AccountRowID, _ database: Database) throws(MAMError) {
        record.unfinished = record.unfinished.suffix(RollbackDetector.maximumUnfinished) + [id]
        (sealed, opened) = (try CounterRow(database, key).store(record), record)
    }
    private static let maximumUnfinished = 64

    /// Increment the counter, with a new head, as the last step of a transaction. While the state is rolled back, the highest known counter is stored
    /// as well.
    func advance(_ database: Database, incrementsGeneration: Bool = false) throws(MAMError) {
        record.counter = CounterRecord.above(record.counter)
        record.head = try randomBytes(16)
        if incrementsGeneration { record.generation = CounterRecord.above(record.generation) }
        if isRolledBack { record.behind = max(record.behind, highest) }
        (sealed, opened) = (try CounterRow(database, key).store(record), record)
    }

    /// Update the counter file after the commit is durable.
    func committed() {
        former = nil
        guard !isRolledBack else { return }
        highest = max(highest, record.counter)
        file.write(record.counter, key)
    }

    /// Continue after a successful check-in: above every known counter, under a new device tag.
    func confirm(above claimed: Int64, closing: [AccountRowID]) throws(MAMError) {
        record.counter = CounterRecord.above(record.counter, highest, record.behind, claimed)
        record.deviceTag = try CounterRecord.newTag()
        record.behind = 0
        record.closed = closing
        isRolledBack = false
    }
}

extension State {
    /// The record in the latest transaction of this process.
    var counterRecord: CounterRecord { connection.withGuardedValues { $0.rollbackDetector.record } }
    /// Whether the state was rolled back. All accounts are then closed.
    public var isRolledBack: Bool { connection.withGuardedValues { $0.rollbackDetector.isRolledBack } }
    /// The values reported to the authority: the device tag, the counter and its head, and the highest known counter after a rollback.
    public var reported: (deviceTag: String, counter: Int64, head: [UInt8], reached: Int64?) {
        connection.withGuardedValues { guarded in
            let detector = guarded.rollbackDetector
            return (detector.record.deviceTag, detector.record.counter, detector.record.head, detector.reached)
        }
    }
}

extension StateView {
    var counterRecord: CounterRecord { guarded.rollbackDetector.record }

    /// The reason why an account stays closed after a rollback although its rows verify; nil where there was none, or the account
    /// has checked in since.
    public func rollbackError(of account: AccountRowID) -> MAMError? {
        if let stateRollbackError { return stateRollbackError }
        guard guarded.rollbackDetector.record.closed.contains(account) else { return nil }
        return tampered(
            "was older than the state that was in use here when another account checked in; this account's data stays closed until its own check-in succeeds"
        )
    }

    /// The reason why all accounts are closed: the state is rolled back. nil where it is not.
    var stateRollbackError: MAMError? {
        let rollbackDetector = guarded.rollbackDetector
        return rollbackDetector.reached.map { reached in
            tampered(
                "is older than the state that was in use here (its count is \(rollbackDetector.record.counter), \(reached) was reached): a former copy was put back, and data stays closed. Check in to open it again (an account that is not enrolled any more: enroll it), or put the newest copy back"
            )
        }
    }

    private func tampered(_ what: String) -> MAMError {
        MAMError(.tampered, "\(database.path): \(what)", [("path", .string(database.path)), ("reason", "regress")])
    }

    /// Confirm the state after an account's successful check-in. If it was rolled back or is a copy, judged by this computer or by
    /// the authority, it continues above the known counters under a new device tag, with every other account closed; else the account
    /// is removed from the closed ones. Returns whether the account's enrollment has a former device tag. Only in
    /// ``State/commitForAll(within:mayAddAccount:_:)``.
    public func confirm(
        _ account: AccountRowID, above claimed: Int64, isCopy: Bool = false
    ) throws(MAMError) -> Bool {
        let rollbackDetector = guarded.rollbackDetector
        if rollbackDetector.isRolledBack || isCopy || claimed > rollbackDetector.record.counter {
            let roster = AccountRoster(database: database, stateKey: state.stateKey)
            try rollbackDetector.confirm(above: claimed, closing: try roster.all().filter { $0 != account })
            return true
        }
        let others = rollbackDetector.record.closed.filter { $0 != account }
        defer { rollbackDetector.record.closed = others }
        return others.count < rollbackDetector.record.closed.count
    }
}
