/// The events of mam.h.
enum EventName: String, Sendable {
    case accountBlocked, accountDidChange, allowedAccountsDidChange, appConfigDidChange, dataProtectionDidChange
    case enrollmentRequest, eventsLost, mdmAccountDidChange, policyDidChange, policyRequest, question
    case unenrollRequest, warning, wipeDidComplete, wipeProgress

    /// Whether the event reports a state: only the latest one of an account is kept.
    var isState: Bool {
        switch self {
        case .policyDidChange, .appConfigDidChange, .dataProtectionDidChange, .accountBlocked,
            .allowedAccountsDidChange, .mdmAccountDidChange:
            true
        default: false
        }
    }
}
