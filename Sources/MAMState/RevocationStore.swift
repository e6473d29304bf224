import MAMProtection
import MAMSupport

/// A refresh token that its provider has to revoke. No account depends on it.
public struct PendingRevocation: Sendable {
    /// The id for ``RevocationStore/remove(_:)``.
    public let id: [UInt8]
    /// The token in its stored form.
    public let token: SecretBytes
    /// Whether the token alone is enough to use it: it is not bound to a key.
    let isUsable: Bool
    /// The time when it was given up.
    let since: Instant

    /// How long a token is kept that is good for nothing but to be revoked.
    private static let period = TimeSpan.days(30)
    /// How long one is kept that whoever reads the state could use.
    private static let usablePeriod = TimeSpan.days(1)

    /// Whether it is forgotten without an answer. A clock that was set back by more than a day ends it too: nobody may prolong it.
    public func isOver(at now: Instant) -> Bool {
        now > since + (isUsable ? PendingRevocation.usablePeriod : PendingRevocation.period)
            || now < since + TimeSpan.days(-1)
    }
}

/// When tokens are revoked next.
public struct RevocationPlan: Sendable {
    /// Consecutive failures.
    public var failures: Int64 = 0
    /// The time of the next attempt.
    public var next: Instant

    /// A plan.
    public init(next: Instant) { self.next = next }
}

/// Refresh tokens that wait for their revocation, those of the whole group. They are sealed under the state key, since the keys of their
/// accounts may be gone. The key to which a token is bound is left out.
public struct RevocationStore {
    let view: StateView

    /// The maximum number; the oldest is dropped first.
    public static let capacity = 64

    /// Add a token, which is due at once.
    public func add(_ token: SecretBytes, isUsable: Bool, at now: Instant) throws(MAMError) {
        let id = try randomBytes(16)
        let record: JSON = ["since": .integer(now.milliseconds), "usable": .bool(isUsable)]
        try view.database.run(
            "INSERT INTO revocations (id, record, token) VALUES (?, ?, ?)", .blob(id),
            .blob(try seal.seal(record, id: id, column: "record")),
            .blob(try seal.seal(secret: token, id: id, column: "token")))
        try view.database.run(
            "DELETE FROM revocations WHERE number NOT IN (SELECT number FROM revocations ORDER BY number DESC LIMIT ?)",
            .integer(Int64(RevocationStore.capacity)))
        try plan(RevocationPlan(next: now))
    }

    /// All that wait, the oldest first, and the ids of rows that do not verify.
    public func all() throws(MAMError) -> (waiting: [PendingRevocation], broken: [[UInt8]]) {
        let rows = try view.database.all("SELECT id, record, token FROM revocations ORDER BY number") {
            ($0.blob(0), $0.blob(1), $0.blob(2))
        }
        var (waiting, broken): ([PendingRevocation], [[UInt8]]) = ([], [])
        for (id, record, sealed) in rows {
            do throws(MAMError) {
                let json = try seal.open(record, id: id, column: "record")
                let token = try seal.openSecret(sealed, id: id, column: "token")
                waiting.append(
                    PendingRevocation(
                        id: id, token: token, isUsable: json["usable"]?.bool ?? true,
                        since: Instant(milliseconds: json["since"]?.integer ?? 0)))
            } catch {
                guard error.code != .closed else { throw error }
                broken.append(id)
            }
        }
        return (waiting, broken)
    }

    /// Remove a token: the provider has answered, or it is over.
    public func remove(_ id: [UInt8]) throws(MAMError) {
        try view.database.run("DELETE FROM revocations WHERE id = ?", .blob(id))
    }

    /// When the next attempt is; nil where none waits. A plan that does not verify is due now.
    public func plan() throws(MAMError) -> RevocationPlan? {
        let isEmpty = try view.database.first("SELECT 1 FROM revocations LIMIT 1") { _ in false } ?? true
        guard !isEmpty else { return nil }
        let json = try? view.groupValues.value(.revocations)
        var plan = RevocationPlan(next: Instant(milliseconds: json?["next"]?.integer ?? 0))
        plan.failures = json?["failures"]?.integer ?? 0
        return plan
    }

    /// Store when the next attempt is; nil for none.
    public func plan(_ plan: RevocationPlan?) throws(MAMError) {
        guard let plan else { return try view.groupValues.remove(.revocations) }
        try view.groupValues.set(
            .revocations, to: ["next": .integer(plan.next.milliseconds), "failures": .integer(plan.failures)])
    }

    private var seal: RowSeal { view.seal("revocations") }
}
