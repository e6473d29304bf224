import MAMPolicy
import MAMSupport

/// A policy as the authority keeps it.
public struct PolicyRecord: Sendable {
    /// Its id.
    public let id: String
    /// The document.
    public let document: JSON
    /// The authority's signature of it; empty where it signs nothing.
    public let signature: [UInt8]

    /// A policy.
    public init(id: String, document: JSON, signature: [UInt8] = []) {
        self.id = id
        self.document = document
        self.signature = signature
    }
}

/// An app configuration as the authority keeps it.
public struct ConfigurationRecord: Sendable {
    /// What it says.
    public let configuration: AppConfiguration
    /// The document that says it.
    public let document: JSON
    /// The authority's signature of it; empty where it signs nothing.
    public let signature: [UInt8]
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
    /// Why the enrollment ended, where a wipe has ended it before and this is a former copy of its state; else the request is an
    /// administrator's.
    public let wipeReason: String
    /// The highest counter of this device tag, where the one that was reported is lower. Nothing else counts before that was
    /// read again and reported with it (``HostFacts/confirming``); then the state is an older one.
    public var reached: Int64?
    /// When to come back; nil leaves it to the app.
    public let interval: TimeSpan?
    /// The user is disabled.
    public let isDisabled: Bool
    /// The domains of the tenant's names; empty where the authority does not state them.
    public let domains: [String]
    /// The epoch of the account's newest exchange key; 0 where the authority has none.
    public let exchangeEpoch: Int64
    /// The documents of ``configurations``, in their order.
    public let configurationRecords: [ConfigurationRecord]
    /// The authority that says so; nil where it signs nothing.
    public var identity: AuthorityIdentity?

    /// A reply.
    public init(
        upn: String, tenantId: String?, policies: [PolicyRecord], configurations: [ConfigurationRecord] = [],
        apps: ReachedApps = .listed([]), wipe: Int64? = nil, wipeReason: String = "administrator",
        reached: Int64? = nil, interval: TimeSpan? = nil, isDisabled: Bool = false,
        domains: [String] = [], exchangeEpoch: Int64 = 0
    ) {
        self.upn = upn
        self.tenantId = tenantId
        self.policies = policies
        self.configurations = configurations.map(\.configuration)
        configurationRecords = configurations
        self.apps = apps
        self.wipe = wipe
        self.wipeReason = wipeReason
        self.reached = reached
        self.interval = interval
        self.isDisabled = isDisabled
        self.domains = domains
        self.exchangeEpoch = exchangeEpoch
    }
}
