import MAMPolicy
import MAMSupport

/// The result of an operation, as `mam_wait` returns it.
public enum OperationResult: Sendable {
    case enrollment(EnrollmentStatus)
    case launch(LaunchReport)
    case identity(IdentitySwitch)
    case pin(PINEnd)

    /// As mam.h describes it, sections 4, 5 and 7.
    public func json(in language: Language) -> JSON {
        switch self {
        case .enrollment(let status): status.json(in: language)
        case .launch(let report): report.json(in: language)
        case .identity(let ended): ended.json(in: language)
        case .pin(let end): end.json(in: language)
        }
    }
}
