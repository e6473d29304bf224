import MAMSupport

/// The merge of all policies that reach an account: the strictest value of each setting; docs/decisions/08-merge.md.
public struct EffectivePolicy: Sendable {
    /// One of the merged policies.
    struct MergedPolicy: Sendable {
        let id: String
        let name: String
        let platform: Platform
        private(set) var settings: PolicySettings
        /// The settings that the app's cap has lowered.
        let capped: [PolicySetting]
        let rules: DecisionRules
        fileprivate(set) var links: LinkRules
        /// The policy's name in messages.
        let title: String
        /// The properties whose values were not understood.
        private(set) var misread: [String]
        /// The names of properties about operating systems and models of the policy's platform.
        let platformProperties: [String]
        /// The names of properties that bound versions of the Intune App SDK, and versions of apps.
        let sdkVersionProperties, appVersionProperties: [String]
        /// The apps whose versions are bounded; nil for all.
        let namedApps: [String]?
        private let hostChecks: (settings: PolicySettings, unreadableValues: [PolicyWarning])

        init(_ document: PolicyDocument, _ cap: EncryptionCap? = nil) {
            id = document.id
            name = document.displayName
            platform = document.platform
            (settings, capped) = cap?.apply(to: document.settings) ?? (document.settings, [])
            rules = DecisionRules(settings)
            links = LinkRules(settings)
            title = "“\(ForeignText.bounded(name.isEmpty ? id : name, limit: 100))”"
            misread = document.unreadableValues.map(\.setting)
            platformProperties = platform == .unknown ? [] : document.stated(LaunchSetting.platformProperties)
            sdkVersionProperties = platform == .linux ? [] : document.stated(VersionBound.sdk.map(\.setting))
            appVersionProperties = document.stated(VersionBound.app.map(\.setting))
            namedApps = platform == .linux ? nil : document.namedApps
            hostChecks = document.hostChecks
        }

        /// Returns a copy for a host that states this platform. If the policy was written for it, the copy includes the checks
        /// of its operating systems and models.
        func includingChecks(of host: String) -> MergedPolicy {
            guard isOfPlatform(host) else { return self }
            var copy = self
            copy.settings = settings.adding(hostChecks.settings)
            copy.misread += hostChecks.unreadableValues.map(\.setting)
            return copy
        }
    }

    /// The policies that were merged, sorted by id.
    let policies: [MergedPolicy]
    /// The merged rules.
    let rules: DecisionRules
    /// Whether this is the policy for an account while nothing can be trusted.
    public let isLockDown: Bool
    /// The cause of the lock-down; nil without one.
    public let lockDownCause: LockDownCause?
    /// Whether this is a test policy, not an authority's.
    public let isTest: Bool
    /// The values that were not understood.
    public let warnings: [PolicyWarning]
    /// The rules of each policy with one setting at its neutral value, by setting; empty if they are computed on demand.
    private(set) var neutrals: [PolicySetting: [DecisionRules]] = [:]

    /// Merges policies, in any order and ignoring duplicates. Targeted policies replace the tenant's default. No policy
    /// requires more encryption than the app's cap.
    public init(merging documents: [PolicyDocument], cap: EncryptionCap? = nil, isTest: Bool = false) {
        let targeted = documents.filter { !$0.isTenantDefault }
        let counting = EffectivePolicy.sorted(targeted.isEmpty ? documents : targeted)
        var policies = counting.map { MergedPolicy($0, cap) }
        let shared = LinkListMerge.shared(by: policies)
        if !shared.isEmpty {
            for index in policies.indices where LinkListMerge.lacksLists(policies[index].platform) {
                policies[index].links = LinkRules(policies[index].settings, shared: shared)
            }
        }
        self.policies = policies
        rules = .strictest(policies.lazy.map(\.rules))
        isLockDown = false
        lockDownCause = nil
        self.isTest = isTest
        warnings = counting.flatMap(\.unreadableValues)
    }

    /// A copy that is prepared to explain many refusals.
    public var prepared: EffectivePolicy {
        var copy = self
        for setting in PolicySetting.allCases { copy.neutrals[setting] = neutral(setting) }
        return copy
    }

    /// The strictest value of every setting.
    public static let lockDown = EffectivePolicy(lockedDownBy: nil)

    /// Returns the strictest policy, with a cause for its refusals.
    public static func lockDown(_ cause: LockDownCause) -> EffectivePolicy { EffectivePolicy(lockedDownBy: cause) }

    private init(lockedDownBy cause: LockDownCause?) {
        policies = []
        rules = .lockDown
        isLockDown = true
        lockDownCause = cause
        isTest = false
        warnings = []
    }

    /// Sorts by id, and by text if an id is duplicate. Removes equal documents.
    private static func sorted(_ documents: [PolicyDocument]) -> [PolicyDocument] {
        let byId = documents.sorted { a, b in
            guard a.id.utf8.elementsEqual(b.id.utf8) else { return a.id.precedesByBytes(b.id) }
            return a.json.text.precedesByBytes(b.json.text)
        }
        var once: [PolicyDocument] = []
        for document in byId {
            if let last = once.last, last.id.utf8.elementsEqual(document.id.utf8), last.json == document.json {
                continue
            }
            once.append(document)
        }
        return once
    }
}
