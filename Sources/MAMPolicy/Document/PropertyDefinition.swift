/// A property that policies are known to have, and what this release does with it.
struct PropertyDefinition: Sendable {
    /// What becomes of a property.
    enum Coverage: Sendable {
        /// Acted on; the text says how.
        case enforced(String)
        /// Known, read and merged, but nothing acts on it yet; the text names the feature.
        case later(String)
        /// A check of the host's own versions or models: meant for this host only in a policy for its platform.
        case hostCheck
        /// Means nothing here; the text says why.
        case inapplicable(String)
    }

    let name: String
    let coverage: Coverage
    /// How its values are read; nil where they are not looked at.
    let kind: SettingKind?
    /// The setting that decisions know it by; nil where none does.
    let setting: PolicySetting?

    init(_ name: String, _ coverage: Coverage, _ kind: SettingKind? = nil) {
        self.name = name
        self.coverage = coverage
        self.kind = kind
        setting = nil
    }

    init(_ setting: PolicySetting, _ decides: String, _ kind: SettingKind) {
        name = setting.name
        coverage = .enforced("decides \(decides)")
        self.kind = kind
        self.setting = setting
    }

    /// Status and note in a policy for a platform.
    func status(on platform: Platform) -> (PolicyProperty.Status, String) {
        switch coverage {
        case .enforced(let note): return (.enforced, note)
        case .later(let feature): return (.notApplicable, "not enforced by this release: \(feature)")
        case .inapplicable(let why): return (.notApplicable, why)
        case .hostCheck:
            switch platform {
            case .ios, .android, .windows: return (.notApplicable, "checks \(platform.name) hosts, not this one")
            case .linux, .default, .unknown: return (.enforced, "checked by launches: docs/launch.md")
            }
        }
    }

    /// Whether it says what the policy is, not what it does.
    var isDescriptive: Bool {
        if case .inapplicable(let why) = coverage { why == PropertyTable.describing } else { false }
    }

    /// Whether it is a check of the host's own versions or models.
    var isHostCheck: Bool { if case .hostCheck = coverage { true } else { false } }

    /// Whether its values count on this host at all.
    func isRead(on platform: Platform) -> Bool {
        switch (coverage, platform) {
        case (.inapplicable, _), (.hostCheck, .ios), (.hostCheck, .android), (.hostCheck, .windows): false
        default: kind != nil
        }
    }
}
