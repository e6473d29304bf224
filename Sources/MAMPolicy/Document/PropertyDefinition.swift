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
        /// A check of libmam's own version: meant in a policy for Linux hosts alone. Elsewhere it is the version of another product.
        case libraryCheck
        /// A check of the app's version: meant in a policy for Linux hosts, and in another one that names the app.
        case appCheck
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

    /// Status and note in a policy for a platform; `namesApps`: the policy's `apps` name some.
    func status(on platform: Platform, namesApps: Bool) -> (PolicyProperty.Status, String) {
        if isForeign(to: platform) { return (.notApplicable, "\(platform.name) policies have no such setting") }
        switch coverage {
        case .enforced(let note): return (.enforced, note)
        case .later(let feature): return (.notApplicable, "not enforced by this release: \(feature)")
        case .inapplicable(let why): return (.notApplicable, why)
        case .hostCheck:
            switch platform {
            case .ios, .android, .windows, .default:
                return (.notApplicable, "checks \(platform.hosts) hosts, not this one")
            case .linux, .unknown: return (.enforced, PropertyTable.launching)
            }
        case .libraryCheck:
            guard platform != .linux else { return (.enforced, PropertyTable.launching) }
            return (.notApplicable, "a version of Intune's SDK, not of libmam; libmam's stands in policies for linux")
        case .appCheck:
            guard platform != .linux else { return (.enforced, PropertyTable.launching) }
            guard namesApps else { return (.notApplicable, "the policy's \"apps\" name no app that it could be about") }
            return (.enforced, "checked by launches of the apps in \"apps\": docs/launch.md")
        }
    }

    /// Whether it says what the policy is, not what it does.
    var isDescriptive: Bool {
        if case .inapplicable(let why) = coverage { why == PropertyTable.describing } else { false }
    }

    /// Whether it is a check of the host's own versions or models.
    var isHostCheck: Bool { if case .hostCheck = coverage { true } else { false } }

    /// Whether its values count on this host at all; `namesApps`: the policy's `apps` name some.
    func isRead(on platform: Platform, namesApps: Bool = false) -> Bool {
        if isForeign(to: platform) { return false }
        return switch (coverage, platform) {
        case (.inapplicable, _): false
        case (.hostCheck, _): [.linux, .unknown].contains(platform)
        case (.libraryCheck, _): platform == .linux
        case (.appCheck, _): platform == .linux || namesApps
        default: kind != nil
        }
    }

    /// Whether an administrator has reason to think that it counts where it does not: in another policy it does.
    func seemsEnforced(on platform: Platform) -> Bool {
        switch coverage {
        case .libraryCheck, .appCheck: true
        case .enforced, .later, .hostCheck, .inapplicable: isForeign(to: platform)
        }
    }

    /// Whether policies for a platform cannot have it. Windows' share no ancestor with the others; the others' words are
    /// understood in each other's, where exports have them.
    func isForeign(to platform: Platform) -> Bool {
        kind != nil && !canStand(in: platform)
    }

    /// The same of every property, whether or not its values are looked at.
    func canStand(in platform: Platform) -> Bool {
        platform != .windows || PropertyTable.platforms(of: self).contains(.windows)
    }
}
