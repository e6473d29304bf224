import MAMProtection
import MAMSupport

/// The group's record of an account's PIN.
public struct PINRecord: Sendable {
    /// The hash of the PIN.
    public var hash: PINHash
    /// Hashes of former PINs, the latest first.
    public var history: [PINHash]
    /// The time when it was set.
    public var setAt: Instant
    /// The latest time when it was set or entered.
    public var latest: Instant
    /// Attempts since the last correct one. Each is counted before the PIN is compared.
    public var countedAttempts: Int64
    /// The PIN rule of the latest check, and whether the PIN violates it.
    public var lastCheck: (rule: JSON, isWeak: Bool)?
    /// The apps that have wiped the account since its attempts were used up.
    public var wipedIn: [String]

    /// The longest history that a policy can require.
    static let maximumHistory = 24

    /// A newly set PIN; `former` is the record that it replaces.
    public init(_ hash: PINHash, rule: JSON, now: Instant, after former: PINRecord?) {
        self.hash = hash
        history = former.map { Array(([$0.hash] + $0.history).prefix(PINRecord.maximumHistory)) } ?? []
        (setAt, latest) = (now, now)
        countedAttempts = 0
        lastCheck = (rule, false)
        wipedIn = []
    }

    var json: JSON {
        [
            "hash": .string(hexadecimal(hash.bytes)), "history": .strings(history.map { hexadecimal($0.bytes) }),
            "setAt": .integer(setAt.milliseconds), "latest": .integer(latest.milliseconds),
            "failures": .integer(countedAttempts), "rule": lastCheck?.rule ?? .null,
            "isWeak": .bool(lastCheck?.isWeak ?? false),
            "wipedIn": .strings(wipedIn),
        ]
    }

    /// Fails for malformed JSON.
    init?(json: JSON) {
        guard let hash = PINRecord.hash(json["hash"]), let setAt = json["setAt"]?.integer,
            let latest = json["latest"]?.integer, let failures = json["failures"]?.integer
        else { return nil }
        self.hash = hash
        history = (json["history"]?.array ?? []).compactMap(PINRecord.hash)
        self.setAt = Instant(milliseconds: setAt)
        self.latest = Instant(milliseconds: latest)
        countedAttempts = max(0, failures)
        if let rule = json["rule"], !rule.isNull { lastCheck = (rule, json["isWeak"]?.bool ?? false) }
        wipedIn = (json["wipedIn"]?.array ?? []).compactMap(\.string)
    }

    private static func hash(_ json: JSON?) -> PINHash? {
        json?.string.flatMap { bytes(hexadecimal: $0) }.flatMap(PINHash.init(bytes:))
    }
}
