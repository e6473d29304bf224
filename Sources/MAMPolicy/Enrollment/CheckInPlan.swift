import MAMSupport

/// How the requests of one account have gone, and when the next is due. The library's schedule and the computers that `mamd load`
/// simulates follow it alike.
public struct CheckInPlan: Equatable, Sendable {
    /// The number of failures of the same kind in a row.
    public var failures: Int
    /// The code that the latest request ended with; nil before the first one.
    public var lastCode: StatusCode?
    /// When the next request is due while the host is idle, or at any time where `nextInUse` is nil.
    public var next: Instant?
    /// When it is due once the host is in use.
    public var nextInUse: Instant?

    /// A plan with what is known of earlier requests.
    public init(
        failures: Int = 0, lastCode: StatusCode? = nil, next: Instant? = nil, nextInUse: Instant? = nil
    ) {
        (self.failures, self.lastCode, self.next, self.nextInUse) = (failures, lastCode, next, nextInUse)
    }

    /// How a request ended.
    public struct Ending: Sendable {
        /// A code of docs/status-codes.md.
        public let code: StatusCode
        /// The code whose interval counts; nil for `code`.
        public var other: StatusCode?
        /// How long the authority asks to wait at least.
        public var wait: TimeSpan?
        /// Whether the account is enrolled.
        public let isEnrolled: Bool
        /// The interval in the authority's reply.
        public var interval: TimeSpan?
        /// Whether app configuration alone is targeted.
        public var hasOnlyConfiguration = false

        /// An ending with a code.
        public init(_ code: StatusCode, isEnrolled: Bool) { (self.code, self.isEnrolled) = (code, isEnrolled) }
    }

    /// Plan the next request.
    ///
    /// - Parameters:
    ///   - isInUse: whether the host is in use.
    ///   - isSpread: whether many computers ask the same service.
    ///   - jitter: a random number in 0..<1.
    public mutating func update(after ending: Ending, at now: Instant, isInUse: Bool, isSpread: Bool, jitter: Double) {
        let code = ending.code
        failures = CheckInIntervals.failures(after: code, before: lastCode, count: failures)
        // A service that is behind says when to come back. Minutes that doubled while it was away would keep everybody away for
        // longer than the service needs.
        if ending.wait != nil, CheckInIntervals.isNetworkFailure(code) { failures = min(failures, 1) }
        // The record was lost again right after re-enrollment: back off as after a network failure.
        let isLoop = code == .policyRecordGone && failures > 1
        let counted = ending.other ?? (isLoop ? .policyEndPointNetworkFailure : code)
        let number = failures
        func due(isInUse: Bool) -> Instant {
            let due = CheckInIntervals.nextRequest(
                after: counted, at: now, failures: number, interval: ending.interval, isInUse: isInUse,
                hasOnlyConfiguration: ending.hasOnlyConfiguration, jitter: jitter, isEnrolled: ending.isEnrolled,
                isSpread: isSpread)
            return CheckInIntervals.time(due, notBefore: ending.wait, at: now, jitter: jitter)
        }
        lastCode = code
        next = due(isInUse: isInUse)
        nextInUse = isInUse ? nil : due(isInUse: true)
    }

    /// When the next request is due.
    public func due(isInUse: Bool) -> Instant? { isInUse ? nextInUse ?? next : next }
}
