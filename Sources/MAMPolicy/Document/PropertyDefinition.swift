/// A known property of policies, and its coverage by this release.
struct PropertyDefinition: Sendable {
    /// The coverage of a property.
    enum Coverage: Sendable {
        /// The property is enforced; the text says how.
        case enforced(String)
        /// The property is known, parsed and merged, but not enforced yet; the text names the feature.
        case later(String)
        /// A check of the host's versions or models. It applies to this host only in a policy for its platform.
        case hostCheck
        /// A check of libmam's version. It applies only in a policy for Linux hosts; in others it means another product.
        case libraryCheck
        /// A check of the app's version. It applies in a policy for Linux hosts, and in others that name the app.
        case appCheck
        /// The property does not apply here; the text says why.
        case inapplicable(String)
    }

    let name: String
    let coverage: Coverage
    /// The kind of its values; nil if they are not parsed.
    let kind: SettingKind?
    /// The setting that decisions use; nil if none does.
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

    /// Returns status and note in a policy for a platform. `namesApps`: the policy's `apps` names at least one.
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

    /// Whether the property describes the policy, but has no effect.
    var isDescriptive: Bool {
        if case .inapplicable(let why) = coverage { why == PropertyTable.describing } else { false }
    }

    /// Whether the property checks the host's versions or models.
    var isHostCheck: Bool { if case .hostCheck = coverage { true } else { false } }

    /// Returns whether the values are effective on this host. `namesApps`: the policy's `apps` names at least one.
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

    /// Returns whether an administrator may expect the property to be effective, because it is in other policies.
    func seemsEnforced(on platform: Platform) -> Bool {
        switch coverage {
        case .libraryCheck, .appCheck: true
        case .enforced, .later, .hostCheck, .inapplicable: isForeign(to: platform)
        }
    }

    /// Returns whether the property's values are parsed, but policies for the platform cannot have it. Windows policies share
    /// no base type with the others; the others accept each other's properties, because exports contain them.
    func isForeign(to platform: Platform) -> Bool {
        kind != nil && !isAllowed(in: platform)
    }

    /// Returns whether policies for a platform can have the property, whether or not its values are parsed.
    func isAllowed(in platform: Platform) -> Bool {
        platform != .windows || PropertyTable.platforms(of: self).contains(.windows)
    }
}
