/// Why an account is enrolled.
public enum EnrollmentCause: Equatable, Sendable {
    /// The host asks for it.
    case host
    /// The host asked for it before, and it is tried again.
    case again
    /// The session enrolls by itself: the authority has forgotten the enrollment, or the device names an account.
    case itself
    /// The enrollment under this name gets one of the state's new device tag, and ends; nobody signs in for that.
    case renewal(String)
}
