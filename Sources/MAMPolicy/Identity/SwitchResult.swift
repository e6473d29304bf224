/// The result of an identity switch. The raw values are those of mam.h and of IntuneMAMSwitchIdentityResult.
public enum SwitchResult: Int32, Sendable {
    case success = 0, canceled, notAllowed, failed

    /// The name in JSON.
    public var name: String {
        switch self {
        case .success: "success"
        case .canceled: "canceled"
        case .notAllowed: "notAllowed"
        case .failed: "failed"
        }
    }
}
