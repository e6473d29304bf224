/// The reason for an enrollment request.
public enum EnrollmentCause: Equatable, Sendable {
    /// The host requested it.
    case host
    /// A request of the host is repeated.
    case retry
    /// The session enrolls by itself: the authority lost the registration, or the device names an account.
    case automatic
    /// The registration with this id is replaced by one for the state's new device tag, without a sign-in.
    case renewal(String)
}
