import MAMSupport

/// What all policies that reach an account come to: of each setting the most restrictive value;
/// docs/decisions/08-merge.md.
public struct EffectivePolicy: Sendable {
    /// One of the policies, read.
    struct Part: Sendable {
        let id: String
        let name: String
        let platform: Platform
        private(set) var settings: PolicySettings
        /// Settings that the app's cap has lowered.
        let capped: [PolicySetting]
        let rules: Rules
        fileprivate(set) var links: LinkRules
        /// What messages call it.
        let title: String
        /// Properties that were not understood.
        private(set) var misread: [String]
        /// Its settings about the systems and models of its platform's hosts.
        let ofPlatform: [String]
        /// Its bounds on versions of the original's SDK, and on the versions of apps; as names of properties.
        let ofSDK, ofApps: [String]
        /// The apps that versions of apps are about; nil for every one.
        let namedApps: [String]?
        private let hostChecks: (settings: PolicySettings, warnings: [PolicyWarning])

        init(_ document: PolicyDocument, _ cap: EncryptionCap? = nil) {
            id = document.id
            name = document.displayName
            platform = document.platform
            (settings, capped) = cap?.apply(to: document.settings) ?? (document.settings, [])
            rules = Rules(settings)
            links = LinkRules(settings)
            title = "“\(Line.bounded(name.isEmpty ? id : name, limit: 100))”"
            misread = document.warnings.map(\.setting)
            ofPlatform = platform == .unknown ? [] : document.stated(LaunchSetting.ofPlatform)
            ofSDK = platform == .linux ? [] : document.stated(VersionBound.sdk.map(\.setting))
            ofApps = document.stated(VersionBound.app.map(\.setting))
            namedApps = platform == .linux ? nil : document.namedApps
            hostChecks = document.hostChecks
        }

        /// The same for a host that says it is of a platform: where the policy was written for it, with the checks of its
        /// systems and models.
        func judging(_ host: String) -> Part {
            guard isOfPlatform(host) else { return self }
            var copy = self
            copy.settings = settings.adding(hostChecks.settings)
            copy.misread += hostChecks.warnings.map(\.setting)
            return copy
        }
    }

    /// The policies that count, by id.
    let parts: [Part]
    /// What decides.
    let rules: Rules
    /// Whether this is the answer where nothing may be trusted.
    public let isLockDown: Bool
    /// Why, where it is.
    public let lockDownCause: LockDownCause?
    /// Whether it comes from a test policy, not from an authority.
    public let isTest: Bool
    /// What in the policies was not understood.
    public let warnings: [PolicyWarning]
    /// The rules of each policy with one setting at its neutral value, by setting; empty where they are made when needed.
    private(set) var neutrals: [PolicySetting: [Rules]] = [:]

    /// Merge policies; their order and repetitions do not count. A targeted one replaces the tenant's default. None asks for
    /// more encryption than the app's cap.
    public init(merging documents: [PolicyDocument], cap: EncryptionCap? = nil, isTest: Bool = false) {
        let targeted = documents.filter { !$0.isTenantDefault }
        let counting = EffectivePolicy.sorted(targeted.isEmpty ? documents : targeted)
        var parts = counting.map { Part($0, cap) }
        let lent = LinkLists.lent(by: parts)
        if !lent.isEmpty {
            for index in parts.indices where LinkLists.isSilent(parts[index].platform) {
                parts[index].links = LinkRules(parts[index].settings, lent: lent)
            }
        }
        self.parts = parts
        rules = .strictest(parts.lazy.map(\.rules))
        isLockDown = false
        lockDownCause = nil
        self.isTest = isTest
        warnings = counting.flatMap(\.warnings)
    }

    /// The same, ready to give the reasons for many refusals.
    public var prepared: EffectivePolicy {
        var copy = self
        for setting in PolicySetting.allCases { copy.neutrals[setting] = neutral(setting) }
        return copy
    }

    /// The most restrictive value of every member.
    public static let lockDown = EffectivePolicy(lockedDownBy: nil)

    /// The same, which gives a cause for its refusals.
    public static func lockDown(_ cause: LockDownCause) -> EffectivePolicy { EffectivePolicy(lockedDownBy: cause) }

    private init(lockedDownBy cause: LockDownCause?) {
        parts = []
        rules = .lockDown
        isLockDown = true
        lockDownCause = cause
        isTest = false
        warnings = []
    }

    /// By id; two that share an id (they should not) by their text; each once.
    private static func sorted(_ documents: [PolicyDocument]) -> [PolicyDocument] {
        let byId = documents.sorted { a, b in
            guard a.id.utf8.elementsEqual(b.id.utf8) else { return Text.precedes(a.id, b.id) }
            return Text.precedes(a.json.text, b.json.text)
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
