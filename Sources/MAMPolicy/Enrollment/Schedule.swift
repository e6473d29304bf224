import MAMSupport

/// When to try again; docs/status-codes.md "When it is tried again".
public enum Schedule {
    /// The time of the next request after one that ended with `code` at `at`.
    ///
    /// - Parameters:
    ///   - failures: how many network failures in a row, this one included.
    ///   - interval: what the authority's reply asks for; held between a minute and a day.
    ///   - isInUse: whether the host is in use.
    ///   - hasOnlyConfiguration: whether app configuration alone is targeted.
    ///   - jitter: 0 to 1; takes up to a quarter off a back-off, so that hosts do not come all at once.
    ///   - isEnrolled: whether this was a check-in of an enrolled account: then other failures wait for the next
    ///     check-in, not for the retry of an enrollment.
    public static func next(
        after code: StatusCode, at now: Instant, failures: Int, interval: TimeSpan?, isInUse: Bool,
        hasOnlyConfiguration: Bool, jitter: Double, isEnrolled: Bool = false
    ) -> Instant {
        switch code {
        case _ where isNetworkFailure(code):
            return afterNetworkFailure(failures, at: now, jitter: jitter)
        // The other one has to leave first; nothing is tried before.
        case .policyRecordGone, .switchExistingAccount:
            return now
        case .accountNotLicensed, .licensedNotTargeted, .noPolicyReceived:
            return now + (held(interval) ?? .hours(12))
        default:
            guard code.isSuccess || isEnrolled else { return now + .hours(24) }
            return now + (held(interval) ?? (hasOnlyConfiguration ? .hours(12) : isInUse ? .minutes(30) : .hours(8)))
        }
    }

    /// How many failures of a kind there were in a row, the one with `code` included; 0 after a success.
    public static func failures(after code: StatusCode, before: StatusCode?, count: Int) -> Int {
        guard !code.isSuccess else { return 0 }
        guard let before, isNetworkFailure(before) == isNetworkFailure(code) else { return 1 }
        return min(max(count, 0), 1000) + 1
    }

    /// Whether the authority was not reached.
    public static func isNetworkFailure(_ code: StatusCode) -> Bool {
        switch code {
        case .locationServiceFailure, .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, .timeout: true
        default: false
        }
    }

    private static func held(_ interval: TimeSpan?) -> TimeSpan? {
        interval.map { min(max($0, .minutes(1)), .days(1)) }
    }

    /// The time of the next try after that many network failures in a row: 1, 2, 4… minutes, at most 60, less up to a quarter.
    public static func afterNetworkFailure(_ failures: Int, at now: Instant, jitter: Double) -> Instant {
        let doublings = min(max(failures, 1) - 1, 6)
        let minutes = min(Int64(1) << Int64(doublings), 60)
        let share = jitter.isFinite ? min(max(jitter, 0), 1) : 0
        return now + TimeSpan(milliseconds: minutes * 60_000 - Int64(share * Double(minutes) * 15_000))
    }
}
