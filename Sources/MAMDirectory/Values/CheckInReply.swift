import MAMPolicy
import MAMSupport

/// A policy as the authority stores it.
public struct PolicyRecord: Sendable {
    /// The policy id.
    public let id: String
    /// The policy document.
    public let document: JSON
    /// The authority's signature of the document; empty where the authority is unsigned.
    public let signature: [UInt8]

    /// Create a record.
    public init(id: String, document: JSON, signature: [UInt8] = []) {
        self.id = id
        self.document = document
        self.signature = signature
    }
}

/// An app configuration as the authority stores it.
public struct ConfigurationRecord: Sendable {
    /// The configuration, parsed.
    public let configuration: AppConfiguration
    /// The configuration document.
    public let document: JSON
    /// The authority's signature of the document; empty where the authority is unsigned.
    public let signature: [UInt8]

    /// Create a record.
    public init(configuration: AppConfiguration, document: JSON, signature: [UInt8] = []) {
        self.configuration = configuration
        self.document = document
        self.signature = signature
    }
}

/// The reply to a check-in.
public struct CheckInReply: Sendable {
    /// The user's current UPN.
    public let upn: String
    /// The tenant id of the user.
    public let tenantId: String?
    /// The policies that reach the account, else the tenant default; empty where no policy reaches it.
    public let policies: [PolicyRecord]
    /// The app configurations that reach the account, followed by the tenant default.
    public let configurations: [AppConfiguration]
    /// The apps in which a policy reaches the user.
    public let apps: TargetedApps
    /// The id of the wipe request to carry out; the rest of the reply is then void.
    public let wipe: Int64?
    /// The reason of the wipe that ended the enrollment before, where this is an older copy of its state; else ``WipeReason/administrator``.
    public let wipeReason: WipeReason
    /// The highest counter that the authority has for this device tag, where the reported one is lower. The session then reads its
    /// counter again and repeats the check-in with ``HostFacts/confirmedCounter``; the rest of the reply is void. A reply to the
    /// repeated check-in with this set confirms a rollback.
    public var highestCounter: Int64?
    /// The text with which the registration is renewed under the state's new device tag at once; nil where none is asked for, or
    /// where the authority needs none.
    public var renewal: String?
    /// Whether the authority knows that the state is a copy, whatever its counter.
    public var isOfCopy = false
    /// The time of the reply by the authority's clock; nil where it has no other than this computer's.
    public var time: Instant?
    /// The check-in interval; nil leaves it to the app.
    public let interval: TimeSpan?
    /// Whether the user is disabled.
    public let isDisabled: Bool
    /// The domains of the tenant; empty where the authority does not state them.
    public let domains: [String]
    /// The epoch of the account's newest exchange key; 0 where the authority has none.
    public let exchangeEpoch: Int64
    /// The documents of ``configurations``, in their order.
    public let configurationRecords: [ConfigurationRecord]
    /// The identity of the authority; nil where it is unsigned.
    public var identity: AuthorityIdentity?

    /// Create a reply.
    public init(
        upn: String, tenantId: String?, policies: [PolicyRecord], configurations: [ConfigurationRecord] = [],
        apps: TargetedApps = .listed([]), wipe: Int64? = nil, wipeReason: WipeReason = .administrator,
        highestCounter: Int64? = nil, interval: TimeSpan? = nil, isDisabled: Bool = false,
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
        self.highestCounter = highestCounter
        self.interval = interval
        self.isDisabled = isDisabled
        self.domains = domains
        self.exchangeEpoch = exchangeEpoch
    }
}
