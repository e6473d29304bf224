import MAMPolicy
import MAMSupport

/// What an operation ended with, as `mam_wait` hands it out.
public enum OperationResult: Sendable {
    case enrollment(EnrollmentStatus)

    /// As mam.h describes it, section 4.
    public var json: JSON {
        switch self {
        case .enrollment(let status): status.json
        }
    }
}
