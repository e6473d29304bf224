import MAMValues

/// The check-in times of an account, compared with the clock.
struct CheckInTimes {
    private let last: Int?
    private let next: Int
    private let now: Int
    private let isEnrolled: Bool

    /// Clocks of one computer that differ by less are taken for the same.
    static let tolerance = 300
    /// Nothing is planned further ahead; a later time was planned before the clock was set back, and is due.
    private static let longestPlan = 25 * 3600
    /// A timer checks in twice an hour.
    private static let leastDelay = 3600

    /// Nil for an account without a planned request.
    init?(_ account: JSON) {
        guard let next = account["nextCheckIn"].string.flatMap(RelativeTime.seconds(of:)) else { return nil }
        self.next = next
        isEnrolled = account["state"] == .string("enrolled")
        last = account["lastCheckIn"].string.flatMap(RelativeTime.seconds(of:))
        now = RelativeTime.seconds(of: ProcessEnvironment.now) ?? next
    }

    var isDue: Bool { next <= now || next > now + CheckInTimes.longestPlan }

    /// A check-in that is later by more than the time between two, or one that lies in the future; nil for neither.
    var problem: (kind: String, message: String)? {
        guard isEnrolled else { return nil }
        if let last, last - now > CheckInTimes.tolerance {
            let ahead = RelativeTime(seconds: last - now).words
            return (
                "clock",
                "its last check-in is \(ahead) in the future: this computer's clock went back, or was ahead then; set the clock, "
                    + "then check in with mamctl checkin"
            )
        }
        let interval = max(CheckInTimes.leastDelay, last.map { next - $0 } ?? 0)
        guard now - next > interval else { return nil }
        return (
            "overdue",
            "its check-in was due \(RelativeTime(seconds: now - next).past): nothing of the app has run since that checks in; do it "
                + "with mamctl checkin, and see that its program or mam-check-in.timer runs"
        )
    }
}
