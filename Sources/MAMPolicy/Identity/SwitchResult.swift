/// How an identity switch ended. The raw values are the numbers of mam.h, and of IntuneMAMSwitchIdentityResult.
public enum SwitchResult: Int32, Sendable {
    case success = 0, canceled, notAllowed, failed

    /// As JSON names it.
    public var name: String {
        switch self {
        case .success: "success"
        case .canceled: "canceled"
        case .notAllowed: "notAllowed"
        case .failed: "failed"
        }
    }
}
