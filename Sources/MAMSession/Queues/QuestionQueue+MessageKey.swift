import MAMPolicy
import MAMSupport

extension QuestionQueue.Kind {
    /// The message for the person who uses the host, where the question has none of its own.
    var messageKey: MessageKey {
        switch self {
        case .wipeData: .questionWipeData
        case .restartApplication: .questionRestartApplication
        case .accessToken, .tokenOrSignIn: .questionAccessToken
        case .signIn, .signInPage: .questionSignIn
        case .addAccount: .questionAddAccount
        case .blockAccount: .questionBlockAccount
        case .identitySwitch: .questionIdentitySwitch
        case .isExternalURL: .questionIsExternalURL
        case .pin: .pinEnter
        case .authenticate, .pinReset: .questionAuthenticate
        case .deviceHealth: .questionDeviceHealth
        case .proxyCredentials: .questionProxyCredentials
        }
    }
}

extension PINConversation.Need {
    /// The message of the question for a new PIN.
    var messageKey: MessageKey { self == .expired || self == .tooWeak ? .pinChange : .pinChoose }
}
