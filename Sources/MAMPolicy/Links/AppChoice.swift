/// The apps that may open telephone or message links: `dialerRestrictionLevel` and `protectedMessagingRedirectAppType`.
enum AppChoice: Sendable, Equatable {
    case any, managed
    /// The app with this scheme; nil if the policy names no usable scheme.
    case specific(String?)
    case blocked

    /// Creates a choice from a level and a scheme. An unknown level is the strictest one.
    init(_ level: String?, scheme: String?) {
        switch level {
        case "allApps", "anyApp": self = .any
        case "managedApps", "anyManagedApp": self = .managed
        case "customApp", "specificApps": self = .specific(scheme.flatMap(LinkScheme.destination))
        default: self = .blocked
        }
    }

    /// The strictness, as the merge orders levels.
    var rank: Int {
        switch self {
        case .any: 0
        case .managed: 1
        case .specific: 2
        case .blocked: 3
        }
    }
}
