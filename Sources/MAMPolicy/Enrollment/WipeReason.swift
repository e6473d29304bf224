/// The reason of a selective wipe, named as in events, reports and the journal.
///
/// A case's position is its number in tombstones, so new cases are added at the end.
public enum WipeReason: String, Sendable, CaseIterable {
    /// The host requested it.
    case host
    /// The authority requested it for an administrator.
    case administrator
    /// The account was deregistered or unenrolled with a wipe.
    case deregistration
    /// The attempts at the PIN were used up.
    case pin
    /// A conditional launch rule requires it.
    case conditionalLaunch
    /// The account was offline for longer than the wipe period.
    case offline
}
