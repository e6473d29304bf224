extension MAMError.Code {
    /// The message for the person who uses the host, where the error has none of its own.
    public var messageKey: MessageKey {
        switch self {
        case .unsupported: .errorUnsupported
        case .interrupted, .canceled: .errorCanceled
        case .notManaged: .errorNotManaged
        case .notRegistered: .errorUnknownName
        case .notEnrolled: .errorNotEnrolled
        case .notFound: .errorNotFound
        case .already: .errorAlready
        case .denied: .errorDenied
        case .locked: .refusedLocked
        case .timeout: .errorTimeout
        case .busy: .errorBusy
        case .gone: .errorGone
        case .notProtected: .errorNotProtected
        case .damaged, .authentication: .errorDamaged
        case .keyUnavailable: .errorKeyUnavailable
        case .empty: .errorEmpty
        case .io, .storage: .errorStorage
        case .permission: .errorPermission
        case .noSpace: .errorNoSpace
        case .version: .errorVersion
        case .tampered: .errorTampered
        case .authRequired: .errorSignIn
        case .network: .errorNetwork
        case .service, .protocolError: .errorService
        default: .errorApp
        }
    }
}
