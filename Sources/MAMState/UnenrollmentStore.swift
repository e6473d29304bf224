import MAMSupport

/// An ended enrollment that was not reported to the authority yet.
public struct Unenrollment: Sendable {
    /// The authority's id of the enrollment.
    public let registration: String
    /// The account id.
    public let accountId: String
    /// The account's UPN.
    public let upn: String?
    /// The account's row; nil for an enrollment that was not used, which left no data.
    public let account: AccountRowID?
    /// The last wipe request before the enrollment.
    public let wipeMark: Int64
    /// The time when it ended.
    public let ended: Instant

    /// An ended enrollment.
    public init(
        registration: String, accountId: String, upn: String?, account: AccountRowID?, wipeMark: Int64, ended: Instant
    ) {
        self.registration = registration
        self.accountId = accountId
        self.upn = upn
        self.account = account
        self.wipeMark = wipeMark
        self.ended = ended
    }

    var json: JSON {
        [
            "registration": .string(registration), "accountId": .string(accountId), "upn": .optional(upn),
            "account": .optional(account?.hex), "wipeMark": .integer(wipeMark), "ended": .integer(ended.milliseconds),
        ]
    }

    init?(json: JSON) {
        guard let registration = json["registration"]?.string, let accountId = json["accountId"]?.string,
            let ended = json["ended"]?.integer
        else { return nil }
        self.init(
            registration: registration, accountId: accountId, upn: json["upn"]?.string,
            account: json["account"]?.string.flatMap(AccountRowID.init(hex:)),
            wipeMark: json["wipeMark"]?.integer ?? .max, ended: Instant(milliseconds: ended))
    }
}

/// Ended enrollments that are reported to the authority together.
public struct PendingUnenrollments: Sendable {
    /// The ended enrollments, the oldest first.
    public internal(set) var all: [Unenrollment] = []
    /// Consecutive failures of the report.
    public var failures: Int64 = 0
    /// The time of the next report; nil without ended enrollments.
    public var next: Instant?
    /// The maximum number; the oldest is dropped first.
    public static let capacity = 100

    /// An empty list.
    public init() {}

    /// Add an ended enrollment. Returns those that were dropped.
    public mutating func add(_ unenrollment: Unenrollment) -> [Unenrollment] {
        all.append(unenrollment)
        let dropped = Array(all.dropLast(PendingUnenrollments.capacity))
        all.removeFirst(dropped.count)
        return dropped
    }

    /// Remove ended enrollments. Returns the removed ones.
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

/// The ended enrollments of this app.
public struct UnenrollmentStore {
    let view: StateView

    /// Load the list; empty where the row does not verify, since no account depends on it.
    public func load() throws(MAMError) -> PendingUnenrollments {
        do throws(MAMError) {
            return try view.values.value(.unenrollments).map(PendingUnenrollments.init(json:))
                ?? PendingUnenrollments()
        } catch {
            guard error.code == .tampered else { throw error }
            return PendingUnenrollments()
        }
    }

    /// Change the list.
    public func change<T>(_ body: (inout PendingUnenrollments) throws(MAMError) -> T) throws(MAMError) -> T {
        var waiting = try load()
        let result = try body(&waiting)
        if waiting.all.isEmpty {
            try view.values.remove(.unenrollments)
        } else {
            try view.values.set(.unenrollments, to: waiting.json)
        }
        return result
    }
}
