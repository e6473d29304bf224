import MAMProtection
import MAMSupport

/// How far the state has come as this process knows it, and whether what lies on the disk is older. With the state's lock held.
final class Progress: @unchecked Sendable {
    let copy: CounterCopy
    /// Of the transaction that is under way, or was the latest. A commit that advances stores what its body made of it.
    var standing: Standing
    /// The highest counter that is known; above it nothing was ever reached here.
    private(set) var highest: Int64
    /// Whether the database is older than what was reached: somebody has put a former one back.
    private(set) var isOlder: Bool
    /// What was reached, where the database is older than that.
    var reached: Int64? { isOlder ? max(highest, standing.behind) : nil }
    private let key: SealingKey
    private var sealed: [UInt8]
    private var opened: Standing

    /// What opening has found.
    init(_ database: Database, _ key: SealingKey, _ copy: CounterCopy, _ copied: [UInt8]) throws(MAMError) {
        self.copy = copy
        self.key = key
        let row = StandingRow(database, key)
        let found = try row.sealed()
        standing = try row.open(found)
        (sealed, opened) = (found ?? [], standing)
        highest = max(standing.counter, copy.open(copied, key))
        isOlder = standing.behind > 0 || standing.counter < highest
    }

    /// Inside a transaction, with the counter's copy as it was before: look how far the database has come. The result is
    /// whether it is older now and was not, or the reverse.
    func look(_ database: Database, _ copied: [UInt8]) throws(MAMError) -> Bool {
        let row = StandingRow(database, key)
        let found = try row.sealed()
        if found != sealed { (opened, sealed) = (try row.open(found), found ?? []) }
        standing = opened
        highest = max(highest, standing.counter, copy.open(copied, key))
        let wasOlder = isOlder
        isOlder = standing.behind > 0 || standing.counter < highest
        return isOlder != wasOlder
    }

    /// Inside a transaction: a share is made next that is removed where it does not come to an account.
    func noteUnfinished(_ id: AccountRowID, _ database: Database) throws(MAMError) {
        standing.unfinished = standing.unfinished.suffix(Progress.mostUnfinished) + [id]
        (sealed, opened) = (try StandingRow(database, key).store(standing), standing)
    }
    private static let mostUnfinished = 64

    /// Inside a transaction, the last step of it: the counter grows, and says that it was older for as long as nobody has
    /// checked in.
    func advance(_ database: Database, isPublished: Bool = false) throws(MAMError) {
        standing.counter = Standing.above(standing.counter)
        if isPublished { standing.generation = Standing.above(standing.generation) }
        if isOlder { standing.behind = max(standing.behind, highest) }
        (sealed, opened) = (try StandingRow(database, key).store(standing), standing)
    }

    /// After the commit of such a transaction: it is durable, so that the copy may say so.
    func committed() {
        guard !isOlder else { return }
        highest = max(highest, standing.counter)
        copy.write(standing.counter, key)
    }

    /// A check-in has succeeded: go on above every counter that is known, under a new device tag.
    func confirm(above claimed: Int64, closing: [AccountRowID]) throws(MAMError) {
        standing.counter = Standing.above(standing.counter, highest, standing.behind, claimed)
        standing.deviceTag = try Standing.newTag()
        standing.behind = 0
        standing.closed = closing
        isOlder = false
    }
}

extension State {
    /// As the latest transaction of this process found it.
    var standing: Standing { lock.held { progress.standing } }
    /// Whether what lies on the disk is older than what was reached: every account is closed then.
    public var isOlder: Bool { lock.held { progress.isOlder } }
    /// A random number that stands for this computer and group at the authority, the counter that is reported to it, and where
    /// the state is older than what was reached here, that.
    public var reported: (deviceTag: String, counter: Int64, reached: Int64?) {
        lock.held { (progress.standing.deviceTag, progress.standing.counter, progress.reached) }
    }
}

extension StateView {
    var standing: Standing { state.progress.standing }

    /// Why an account stays closed although its rows verify: the state was found to be older than what was reached, and the
    /// account has not checked in since; nil where it was not, or has.
    public func regress(of account: AccountRowID) -> MAMError? {
        if let older { return older }
        guard state.progress.standing.closed.contains(account) else { return nil }
        return regress(
            "was older than the state that was in use here when another account checked in; this account's data stays closed until its own check-in succeeds"
        )
    }

    /// Why every account is closed: the state is older than what was reached; nil where it is not.
    var older: MAMError? {
        let progress = state.progress
        return progress.reached.map { reached in
            regress(
                "is older than the state that was in use here (its count is \(progress.standing.counter), \(reached) was reached): a former copy was put back, and data stays closed. Check in to open it again (an account that is not enrolled any more: enroll it), or put the newest copy back"
            )
        }
    }

    private func regress(_ what: String) -> MAMError {
        MAMError(.tampered, "\(database.path): \(what)", [("path", .string(database.path)), ("reason", "regress")])
    }

    /// A check-in of an account has succeeded: where the state was older than what was reached, here or at the authority, it goes on
    /// above that under a new device tag, with every other account closed; else the account is no longer among those. The
    /// result is whether the device tag is another one than the account's enrollment was made with. Only while publishing.
    public func confirm(_ account: AccountRowID, above claimed: Int64) throws(MAMError) -> Bool {
        let progress = state.progress
        if progress.isOlder || claimed > progress.standing.counter {
            let roster = AccountRoster(database: database, stateKey: state.stateKey)
            try progress.confirm(above: claimed, closing: try roster.all().filter { $0 != account })
            return true
        }
        let others = progress.standing.closed.filter { $0 != account }
        defer { progress.standing.closed = others }
        return others.count < progress.standing.closed.count
    }
}
