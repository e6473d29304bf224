import MAMPolicy
import MAMSupport

/// A policy as the authority keeps it.
public struct PolicyRecord: Sendable {
    /// Its id.
    public let id: String
    /// The document.
    public let document: JSON

    /// A policy.
    public init(id: String, document: JSON) {
        self.id = id
        self.document = document
    }
}

/// What the authority says at a check-in.
public struct CheckIn: Sendable {
    /// The sign-in name as it is now.
    public let upn: String
    /// The user's tenant.
    public let tenantId: String?
    /// The targeted policies, else the tenant default; empty: not targeted.
    public let policies: [PolicyRecord]
    /// The targeted app configurations, and the tenant default behind them.
    public let configurations: [AppConfiguration]
    /// The apps in which policies reach the user.
    public let apps: ReachedApps
    /// The id of a wipe request to carry out: then nothing else counts.
    public let wipe: Int64?
    /// When to come back; nil leaves it to the app.
    public let interval: TimeSpan?
    /// The user is disabled.
    public let isDisabled: Bool
    /// The domains of the tenant's names; empty where the authority does not state them.
    public let domains: [String]

    /// A reply.
    public init(
        upn: String, tenantId: String?, policies: [PolicyRecord], configurations: [AppConfiguration] = [],
        apps: ReachedApps = .listed([]), wipe: Int64? = nil, interval: TimeSpan? = nil, isDisabled: Bool = false,
        domains: [String] = []
    ) {
        self.upn = upn
        self.tenantId = tenantId
        self.policies = policies
        self.configurations = configurations
        self.apps = apps
        self.wipe = wipe
        self.interval = interval
        self.isDisabled = isDisabled
        self.domains = domains
    }
}
