/// Which apps may open telephone or message links: `dialerRestrictionLevel` and `protectedMessagingRedirectAppType`.
enum AppChoice: Sendable, Equatable {
    case any, managed
    /// The app of this scheme; nil where the policy names none that can be used.
    case specific(String?)
    case blocked

    /// From the name of a level (a name nobody knows is the strictest) and the scheme.
    init(_ level: String?, scheme: String?) {
        switch level {
        case "allApps", "anyApp": self = .any
        case "managedApps", "anyManagedApp": self = .managed
        case "customApp", "specificApps": self = .specific(scheme.flatMap(LinkScheme.destination))
        default: self = .blocked
        }
    }

    /// How strict, as the merge orders them.
    var rank: Int {
        switch self {
        case .any: 0
        case .managed: 1
        case .specific: 2
        case .blocked: 3
        }
    }
}
