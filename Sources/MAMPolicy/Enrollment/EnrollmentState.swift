/// An event of a registered account.
public enum EnrollmentEvent: Sendable, Hashable {
    /// The host has registered the account, possibly again.
    case registered
    /// The authority has enrolled the account.
    case enrolled
    /// The authority has refused the account, or was not reached.
    case enrollmentFailed(StatusCode)
    /// A policy request ended with 100 or 101.
    case policyReceived
    /// No policy is targeted: 225 at enrollment, 103 at a check-in.
    case notTargeted
    /// A wipe was requested, by the host, the authority or a rule.
    case wipeRequested
    /// The wipe has completed.
    case wipeCompleted
    /// The account was unenrolled and deregistered without a wipe.
    case unenrolled
    /// The authority no longer has a record of the enrollment: 220.
    case recordGone
    /// The authority of the enrollment was given up, or another one has enrolled its name.
    case authorityForgotten
}

/// The enrollment state of an account.
///
/// | state | event | next |
/// | --- | --- | --- |
/// | registered | enrolled | enrolled |
/// | registered | enrollmentFailed, notTargeted | registered: retried on schedule |
/// | registered, enrolled, unenrolled | wipeRequested | wiping (unenrolled: its data may still be there) |
/// | registered, enrolled | unenrolled | unenrolled |
/// | registered, enrolled, unenrolled | authorityForgotten | unenrolled: closed to any other authority |
/// | enrolled | enrolled, policyReceived, notTargeted | enrolled |
/// | unenrolled, registered | registered | registered |
/// | enrolled | registered | enrolled: there is nothing to do (208) |
/// | enrolled | recordGone | enrolled: the next check-in enrolls the account again; its policy stays in force until then |
/// | wiping | wipeRequested, unenrolled, recordGone, authorityForgotten | wiping: nothing interrupts a wipe |
/// | wiping | wipeCompleted | unenrolled |
///
/// Other events cannot happen, or are too late and ignored.
public enum EnrollmentState: String, Sendable, CaseIterable {
    case registered, enrolled, wiping, unenrolled

    /// Returns the state after an event; nil if the event is ignored in this state.
    public func after(_ event: EnrollmentEvent) -> EnrollmentState? {
        switch (self, event) {
        case (.registered, .enrolled): .enrolled
        case (.registered, .enrollmentFailed), (.registered, .notTargeted): .registered
        case (.registered, .wipeRequested), (.enrolled, .wipeRequested), (.unenrolled, .wipeRequested): .wiping
        case (.registered, .unenrolled), (.enrolled, .unenrolled): .unenrolled
        case (.registered, .authorityForgotten), (.enrolled, .authorityForgotten), (.unenrolled, .authorityForgotten):
            .unenrolled
        case (.enrolled, .enrolled), (.enrolled, .policyReceived), (.enrolled, .notTargeted): .enrolled
        case (.enrolled, .recordGone), (.enrolled, .registered): .enrolled
        case (.unenrolled, .registered), (.registered, .registered): .registered
        case (.wiping, .wipeRequested), (.wiping, .unenrolled), (.wiping, .recordGone), (.wiping, .authorityForgotten):
            .wiping
        case (.wiping, .wipeCompleted): .unenrolled
        default: nil
        }
    }
}
