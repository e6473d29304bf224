import MAMSupport

/// An enrollment that has ended here, and of which the authority has not heard yet.
public struct Unenrollment: Sendable {
    /// The authority's name for the enrollment: a later one of the same account has another.
    public let registration: String
    /// The account's id.
    public let accountId: String
    /// The account's UPN.
    public let upn: String?
    /// When it ended.
    public let ended: Instant

    /// The end of an enrollment.
    public init(registration: String, accountId: String, upn: String?, ended: Instant) {
        self.registration = registration
        self.accountId = accountId
        self.upn = upn
        self.ended = ended
    }

    var json: JSON {
        [
            "registration": .string(registration), "accountId": .string(accountId), "upn": .optional(upn),
            "ended": .integer(ended.milliseconds),
        ]
    }

    init?(json: JSON) {
        guard let registration = json["registration"]?.string, let accountId = json["accountId"]?.string,
            let ended = json["ended"]?.integer
        else { return nil }
        self.init(
            registration: registration, accountId: accountId, upn: json["upn"]?.string,
            ended: Instant(milliseconds: ended))
    }
}

/// Unenrollments that wait for the authority, and when they are reported next: all at once, since one authority hears of all.
public struct WaitingUnenrollments: Sendable {
    /// The oldest first.
    public internal(set) var all: [Unenrollment] = []
    /// How often reporting failed in a row.
    public var failures: Int64 = 0
    /// When to report next; nil while none waits.
    public var next: Instant?
    /// How many wait at most: then the oldest goes.
    public static let capacity = 100

    /// None.
    public init() {}

    /// Let one wait; the result does not any more, because too many do.
    public mutating func add(_ unenrollment: Unenrollment) -> [Unenrollment] {
        all.append(unenrollment)
        let dropped = Array(all.dropLast(WaitingUnenrollments.capacity))
        all.removeFirst(dropped.count)
        return dropped
    }

    /// Let some wait no longer; the result waited until now.
    public mutating func remove(where isOver: (Unenrollment) -> Bool) -> [Unenrollment] {
        let removed = all.filter(isOver)
        all.removeAll(where: isOver)
        if all.isEmpty { (failures, next) = (0, nil) }
        return removed
    }

    var json: JSON {
        [
            "all": .array(all.map(\.json)), "failures": .integer(failures),
            "next": next.map { .integer($0.milliseconds) } ?? .null,
        ]
    }

    init(json: JSON) {
        all = (json["all"]?.array ?? []).compactMap(Unenrollment.init(json:))
        failures = json["failures"]?.integer ?? 0
        next = all.isEmpty ? nil : json["next"]?.integer.map(Instant.init(milliseconds:)) ?? Instant(milliseconds: 0)
    }
}

/// The unenrollments of this app that wait.
public struct UnenrollmentStore {
    let view: StateView
    private static let fact = "unenrollments"

    /// Those that wait; none where the row does not verify: nothing of an account depends on it.
    public func load() throws(MAMError) -> WaitingUnenrollments {
        do throws(MAMError) {
            return try view.facts.value(UnenrollmentStore.fact).map(WaitingUnenrollments.init(json:))
                ?? WaitingUnenrollments()
        } catch {
            guard error.code == .tampered else { throw error }
            return WaitingUnenrollments()
        }
    }

    /// Change what waits.
    public func change<T>(_ body: (inout WaitingUnenrollments) throws(MAMError) -> T) throws(MAMError) -> T {
        var waiting = try load()
        let result = try body(&waiting)
        if waiting.all.isEmpty {
            try view.facts.remove(UnenrollmentStore.fact)
        } else {
            try view.facts.set(UnenrollmentStore.fact, to: waiting.json)
        }
        return result
    }
}
