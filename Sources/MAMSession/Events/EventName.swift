import MAMSupport

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

    /// The message for the person who uses the host, where the event has none of its own.
    var messageKey: MessageKey {
        switch self {
        case .accountBlocked: .eventAccountBlocked
        case .accountDidChange: .eventAccountDidChange
        case .allowedAccountsDidChange: .eventAllowedAccountsDidChange
        case .appConfigDidChange: .eventAppConfigDidChange
        case .dataProtectionDidChange: .eventDataProtectionDidChange
        case .enrollmentRequest, .policyRequest, .unenrollRequest: .eventRequest
        case .eventsLost: .eventEventsLost
        case .mdmAccountDidChange: .eventMdmAccountDidChange
        case .policyDidChange: .eventPolicyDidChange
        case .question, .warning: .eventWarning
        case .wipeDidComplete: .eventWipeDidComplete
        case .wipeProgress: .launchWipe
        }
    }
}

/// The steps of `wipeProgress`, in their order.
enum WipeProgress: String, Sendable {
    /// The account is closed in every process.
    case closed
    /// The share's file is removed.
    case shredded
    /// The host was asked to remove its data.
    case asked
    /// Some of the account's files are removed.
    case files
    /// The account's rows are removed.
    case removed
    /// The wipe was reported to the authority, where that knew the account.
    case reported
}
