import MAMPolicy
import MAMState
import MAMSupport

/// One key of the IntuneMAMSettings dictionary of the Intune App SDK: its type, range and default (docs/settings.md).
struct SettingKey: Sendable {
    let name: String
    let kind: Kind
    let range: Range
    /// Whether it has an effect in this release.
    let effect: Effect
    /// The reason if it has none.
    let note: String?

    enum Kind: Sendable { case boolean, string, strings, number }
    enum Effect: String, Sendable { case applies, notApplicable }

    /// Whether it only affects the look of screens: a malformed value is left out with a warning and closes nothing.
    var isCosmetic: Bool {
        if case .colour = range { return true }
        return name == SettingKey.supportsDarkMode || note == SettingKey.screens
    }

    /// The values that a key takes, within its type.
    enum Range: Sendable {
        case any
        case one([String])
        case colour
        case innerPath
    }

    /// The value that applies if no source states one: the key's own default, else false, no texts or null.
    var defaultValue: JSON {
        if let own = SettingKey.ownDefault(of: name) { return own }
        return switch kind {
        case .boolean: false
        case .strings: []
        case .string, .number: .null
        }
    }

    /// The default of a key that has its own.
    static func ownDefault(of name: String) -> JSON? {
        switch name {
        case "ADALCacheKeychainGroupOverride": "com.microsoft.adalcache"
        case importPath: "/Documents/"
        case maxFileProtectionLevel: "NSFileProtectionComplete"
        case "SplashDuration": .decimal("1.5")
        case supportsDarkMode: true
        default: nil
        }
    }

    /// The key of a current or a former name.
    static func named(_ name: String) -> SettingKey? {
        let known = formerNames.contains(name) ? appGroupIdentifiers : name
        return all.first { $0.name == known }
    }

    /// Misspellings in the documentation of the SDK's first releases.
    private static let formerNames = ["AppGroupIdentifier", "AppGroupIdentitifiers"]

    static let multiIdentity = "MultiIdentity"
    static let policyRequired = "MAMPolicyRequired"
    static let multiIdentityCancelDisabled = "MultiIdentityCancelDisabled"
    static let multiManagedIdentities = "MultiManagedIdentities"
    static let containingAppBundleId = "ContainingAppBundleId"
    static let verboseLoggingEnabled = "VerboseLoggingEnabled"
    static let autoEnrollOnLaunch = "AutoEnrollOnLaunch"
    static let policyWarnAbsent = "MAMPolicyWarnAbsent"
    static let treatAllWebViewsAsUnmanaged = "TreatAllWebViewsAsUnmanaged"
    static let webViewHandledURLSchemes = "WebViewHandledURLSchemes"
    static let valuesToScrubFromLogging = "ValuesToScrubFromLogging"
    static let appGroupIdentifiers = "AppGroupIdentifiers"
    static let debugSettingsEnabled = "DebugSettingsEnabled"
    static let telemetryDisabled = "MAMTelemetryDisabled"
    static let maxFileProtectionLevel = "MaxFileProtectionLevel"
    static let supportsDarkMode = "SupportsDarkMode"
    static let importPath = "DocumentBrowserFileCachePath"

    static let authority = SignInSetting.authority.rawValue
    static let clientId = SignInSetting.clientId.rawValue
    static let redirectUri = SignInSetting.redirectUri.rawValue
    static let redirectScheme = "ADALRedirectScheme"

    private static let screens = "libmam shows no screens"
    private static let views = "of Apple's views"

    static let all: [SettingKey] = [
        .init(authority, .string, .applies),
        .init(
            "ADALCacheKeychainGroupOverride", .string, .notApplicable,
            "there is no keychain with groups"),
        .init(clientId, .string, .applies),
        .init(
            "ADALLogOverrideDisabled", .boolean, .notApplicable, "the host signs people in, with its own library's log"),
        .init(redirectScheme, .string, .applies),
        .init(redirectUri, .string, .applies),
        .init("AccentColor", .string, .applies, nil, .colour),
        .init(appGroupIdentifiers, .strings, .applies),
        .init(autoEnrollOnLaunch, .boolean, .applies),
        .init("BackgroundColor", .string, .applies, nil, .colour),
        .init(containingAppBundleId, .string, .applies),
        .init(debugSettingsEnabled, .boolean, .applies),
        .init(importPath, .string, .applies, nil, .innerPath),
        .init("FinishLaunchingAtStartup", .boolean, .notApplicable, "the host decides when it has launched"),
        .init("ForegroundColor", .string, .applies, nil, .colour),
        .init(policyRequired, .boolean, .applies),
        .init(policyWarnAbsent, .boolean, .applies),
        .init(telemetryDisabled, .boolean, .applies),
        .init("MAMTelemetryUsePPE", .boolean, .notApplicable, "the host's function decides where telemetry goes"),
        .init("MainNibFile", .string, .notApplicable, views),
        .init("MainNibFile~ipad", .string, .notApplicable, views),
        .init("MainStoryboardFile", .string, .notApplicable, views),
        .init("MainStoryboardFile~ipad", .string, .notApplicable, views),
        .init(maxFileProtectionLevel, .string, .applies, nil, .one(EncryptionCap.names)),
        .init(multiIdentity, .boolean, .applies),
        .init(multiIdentityCancelDisabled, .boolean, .applies),
        .init(multiManagedIdentities, .boolean, .applies),
        .init("OpenInActionExtension", .boolean, .notApplicable, "there are no action extensions"),
        .init("SafariViewControllerBlockedOverride", .boolean, .notApplicable, views),
        .init("SecondaryBackgroundColor", .string, .applies, nil, .colour),
        .init("SecondaryForegroundColor", .string, .applies, nil, .colour),
        .init("SplashDuration", .number, .notApplicable, screens),
        .init("SplashIconFile", .string, .notApplicable, screens),
        .init("SplashIconFile~ipad", .string, .notApplicable, screens),
        .init(supportsDarkMode, .boolean, .applies),
        .init(treatAllWebViewsAsUnmanaged, .boolean, .applies),
        .init(valuesToScrubFromLogging, .strings, .applies),
        .init(verboseLoggingEnabled, .boolean, .applies),
        .init(webViewHandledURLSchemes, .strings, .applies),
    ]

    private init(
        _ name: String, _ kind: Kind, _ effect: Effect, _ note: String? = nil,
        _ range: Range = .any
    ) {
        self.name = name
        self.kind = kind
        self.range = range
        self.effect = effect
        self.note = note
    }
}
