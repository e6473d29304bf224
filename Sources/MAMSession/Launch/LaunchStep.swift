import MAMPolicy
import MAMState

/// How far a launch is.
enum LaunchStep: Sendable {
    /// Look for an account to enroll.
    case begin
    /// Tell the host of an account that it has not registered.
    case introduce(AccountRowID, EnrollmentStatus)
    /// Find out whether data may be shown.
    case judge(EnrollmentStatus?)
    /// The same, on its way.
    case check(LaunchRun)
}
