import MAMProtection
import MAMSupport

/// What a group keeps of an account's PIN.
public struct PINRecord: Sendable {
    /// What it is compared with.
    public var hash: PINHash
    /// The ones before it, the latest first.
    public var history: [PINHash]
    /// When it was set.
    public var setAt: Instant
    /// The latest time at which it was set or entered.
    public var latest: Instant
    /// How often somebody has tried since it was last right; counted before it is looked at whether it is.
    public var failures: Int64
    /// The rule that it was last looked at with, and whether it fell short of that.
    public var judged: (rule: JSON, isWeak: Bool)?
    /// The apps that have wiped the account since its attempts were used up.
    public var wipedIn: [String]

    /// More than any policy can ask for are of no use.
    static let longestHistory = 24

    /// A PIN that was just set, in place of another or of none.
    public init(_ hash: PINHash, rule: JSON, now: Instant, after former: PINRecord?) {
        self.hash = hash
        history = former.map { Array(([$0.hash] + $0.history).prefix(PINRecord.longestHistory)) } ?? []
        (setAt, latest) = (now, now)
        failures = 0
        judged = (rule, false)
        wipedIn = []
    }

    var json: JSON {
        [
            "hash": .string(hexadecimal(hash.bytes)), "history": .strings(history.map { hexadecimal($0.bytes) }),
            "setAt": .integer(setAt.milliseconds), "latest": .integer(latest.milliseconds),
            "failures": .integer(failures), "rule": judged?.rule ?? .null, "isWeak": .bool(judged?.isWeak ?? false),
            "wipedIn": .strings(wipedIn),
        ]
    }

    /// Nil for what no release wrote.
    init?(json: JSON) {
        guard let hash = PINRecord.hash(json["hash"]), let setAt = json["setAt"]?.integer,
            let latest = json["latest"]?.integer, let failures = json["failures"]?.integer
        else { return nil }
        self.hash = hash
        history = (json["history"]?.array ?? []).compactMap(PINRecord.hash)
        self.setAt = Instant(milliseconds: setAt)
        self.latest = Instant(milliseconds: latest)
        self.failures = max(0, failures)
        if let rule = json["rule"], !rule.isNull { judged = (rule, json["isWeak"]?.bool ?? false) }
        wipedIn = (json["wipedIn"]?.array ?? []).compactMap(\.string)
    }

    private static func hash(_ json: JSON?) -> PINHash? {
        json?.string.flatMap { bytes(hexadecimal: $0) }.flatMap(PINHash.init(bytes:))
    }
}
