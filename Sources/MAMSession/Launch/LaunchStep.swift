import MAMPolicy
import MAMState

/// The steps of a launch.
enum LaunchStep: Sendable {
    /// Look for an account to enroll.
    case begin
    /// Ask the host to add an account that it has not registered.
    case askToAdd(AccountRowID, EnrollmentStatus)
    /// Begin the launch checks.
    case beginChecks(EnrollmentStatus?)
    /// Carry the launch checks on.
    case check(LaunchRun)
}
