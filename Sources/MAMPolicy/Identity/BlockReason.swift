/// The reason that an account must be hidden. The raw values are those of mam.h and of IntuneMAMBlockAccountReason.
public enum BlockReason: Int32, Sendable {
    case notBlocked = 0, conditionalLaunchBlocked, conditionalLaunchCanceled, clockedOut

    /// The name in JSON.
    public var name: String {
        switch self {
        case .notBlocked: "notBlocked"
        case .conditionalLaunchBlocked: "conditionalLaunchBlocked"
        case .conditionalLaunchCanceled: "conditionalLaunchCanceled"
        case .clockedOut: "clockedOut"
        }
    }
}
