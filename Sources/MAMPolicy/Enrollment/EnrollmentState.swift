/// What can happen to a registered account.
public enum EnrollmentEvent: Sendable, Hashable {
    /// The host has registered it, again.
    case registered
    /// The authority has enrolled it.
    case enrolled
    /// The authority has refused, or was not reached.
    case enrollmentFailed(StatusCode)
    /// A policy request ended with 100 or 101.
    case policyReceived
    /// 225 at enrollment, 103 at a check-in.
    case notTargeted
    /// A wipe was asked for, by whomever.
    case wipeRequested
    /// The wipe is done.
    case wipeCompleted
    /// Unenrolled and deregistered without a wipe.
    case unenrolled
    /// 220: the authority has no record of it any more.
    case recordGone
}

/// Where an account stands.
///
/// | state | event | next |
/// | --- | --- | --- |
/// | registered | enrolled | enrolled |
/// | registered | enrollmentFailed, notTargeted | registered: retried on schedule |
/// | registered, enrolled, unenrolled | wipeRequested | wiping (unenrolled: its data may still be there) |
/// | registered, enrolled | unenrolled | unenrolled |
/// | enrolled | enrolled, policyReceived, notTargeted | enrolled |
/// | unenrolled, registered | registered | registered |
/// | enrolled | registered | enrolled: there is nothing to do (208) |
/// | enrolled | recordGone | enrolled: enrolled anew at the next check-in, its policy stays in force until that is answered |
/// | wiping | wipeRequested, unenrolled, recordGone | wiping: nothing overtakes a wipe |
/// | wiping | wipeCompleted | unenrolled |
///
/// Everything else cannot happen, or comes too late to count.
public enum EnrollmentState: String, Sendable, CaseIterable {
    case registered, enrolled, wiping, unenrolled

    /// The state after an event; nil where the event has no meaning in this state and changes nothing.
    public func after(_ event: EnrollmentEvent) -> EnrollmentState? {
        switch (self, event) {
        case (.registered, .enrolled): .enrolled
        case (.registered, .enrollmentFailed), (.registered, .notTargeted): .registered
        case (.registered, .wipeRequested), (.enrolled, .wipeRequested), (.unenrolled, .wipeRequested): .wiping
        case (.registered, .unenrolled), (.enrolled, .unenrolled): .unenrolled
        case (.enrolled, .enrolled), (.enrolled, .policyReceived), (.enrolled, .notTargeted): .enrolled
        case (.enrolled, .recordGone), (.enrolled, .registered): .enrolled
        case (.unenrolled, .registered), (.registered, .registered): .registered
        case (.wiping, .wipeRequested), (.wiping, .unenrolled), (.wiping, .recordGone): .wiping
        case (.wiping, .wipeCompleted): .unenrolled
        default: nil
        }
    }
}
