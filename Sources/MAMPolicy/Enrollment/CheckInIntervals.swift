import MAMSupport

/// The intervals between check-ins and between retries; docs/status-codes.md "When it is tried again".
public enum CheckInIntervals {
    /// Returns the time of the next request after one that ended with `code` at `now`.
    ///
    /// - Parameters:
    ///   - failures: the number of network failures in a row, including this one.
    ///   - interval: the interval in the authority's reply; limited to between a minute and a day.
    ///   - isInUse: whether the host is in use.
    ///   - hasOnlyConfiguration: whether only app configuration is targeted.
    ///   - jitter: 0 to 1; shortens a back-off by up to a quarter, so that hosts do not retry all at once.
    ///   - isEnrolled: whether this was a check-in of an enrolled account: other failures then wait for the next
    ///     check-in, not for the retry of an enrollment.
    ///   - isSpread: whether many computers ask the same service: check-ins then drift apart, by up to a tenth of the interval.
    public static func nextRequest(
        after code: StatusCode, at now: Instant, failures: Int, interval: TimeSpan?, isInUse: Bool,
        hasOnlyConfiguration: Bool, jitter: Double, isEnrolled: Bool = false, isSpread: Bool = false
    ) -> Instant {
        let next = planned(
            after: code, at: now, failures: failures, interval: interval, isInUse: isInUse,
            hasOnlyConfiguration: hasOnlyConfiguration, jitter: jitter, isEnrolled: isEnrolled)
        guard isSpread, !isNetworkFailure(code) else { return next }
        let tenth = (next - now).milliseconds / 10
        return atMostOneDay(next + TimeSpan(milliseconds: Int64((share(jitter) * 2 - 1) * Double(tenth))), now)
    }

    /// Returns `next`, but no earlier than `wait` from now, and up to a quarter of it later, so that apps that have to wait do not
    /// come back all at once.
    public static func time(_ next: Instant, notBefore wait: TimeSpan?, at now: Instant, jitter: Double) -> Instant {
        guard let wait, wait > .seconds(0) else { return next }
        let held = min(wait, .days(1)).milliseconds
        let later = TimeSpan(milliseconds: held + Int64(share(jitter) * Double(held / 4)))
        return max(next, atMostOneDay(now + later, now))
    }

    /// A time later than 25 hours from now would count as planned before the clock was set back.
    private static func atMostOneDay(_ next: Instant, _ now: Instant) -> Instant {
        min(next, now + .minutes(24 * 60 + 45))
    }

    private static func share(_ jitter: Double) -> Double { jitter.isFinite ? min(max(jitter, 0), 1) : 0 }

    private static func planned(
        after code: StatusCode, at now: Instant, failures: Int, interval: TimeSpan?, isInUse: Bool,
        hasOnlyConfiguration: Bool, jitter: Double, isEnrolled: Bool
    ) -> Instant {
        switch code {
        case _ where isNetworkFailure(code):
            return afterNetworkFailure(failures, at: now, jitter: jitter)
        case .policyRecordGone: return now
        // The schedule does not start it before the other account has left.
        case .switchExistingAccount: return now
        case .accountNotLicensed, .licensedNotTargeted, .noPolicyReceived:
            return now + (clamped(interval) ?? .hours(12))
        default:
            guard code.isSuccess || isEnrolled else { return now + .hours(24) }
            return now + (clamped(interval) ?? (hasOnlyConfiguration ? .hours(12) : isInUse ? .minutes(30) : .hours(8)))
        }
    }

    /// Returns the number of consecutive failures of the same kind, including the one with `code`; 0 after a success.
    public static func failures(after code: StatusCode, before: StatusCode?, count: Int) -> Int {
        guard !code.isSuccess else { return 0 }
        guard let before, isNetworkFailure(before) == isNetworkFailure(code) else { return 1 }
        return min(max(count, 0), 1000) + 1
    }

    /// Returns whether the authority was not reached.
    public static func isNetworkFailure(_ code: StatusCode) -> Bool {
        switch code {
        case .locationServiceFailure, .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, .timeout: true
        default: false
        }
    }

    private static func clamped(_ interval: TimeSpan?) -> TimeSpan? {
        interval.map { min(max($0, .minutes(1)), .days(1)) }
    }

    /// Returns the time of the next attempt after this many network failures in a row: 1, 2, 4… up to 60 minutes, less up to a
    /// quarter.
    public static func afterNetworkFailure(_ failures: Int, at now: Instant, jitter: Double) -> Instant {
        let doublings = min(max(failures, 1) - 1, 6)
        let minutes = min(Int64(1) << Int64(doublings), 60)
        return now + TimeSpan(milliseconds: minutes * 60_000 - Int64(share(jitter) * Double(minutes) * 15_000))
    }
}
