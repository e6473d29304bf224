import MAMPolicy
import MAMSupport

/// What an operation ended with, as `mam_wait` hands it out.
public enum OperationResult: Sendable {
    case enrollment(EnrollmentStatus)
    case identity(IdentitySwitch)

    /// As mam.h describes it, sections 4 and 5.
    public var json: JSON {
        switch self {
        case .enrollment(let status): status.json
        case .identity(let ended): ended.json
        }
    }
}
