import MAMPolicy
import MAMSupport

/// One key of the original's IntuneMAMSettings dictionary: its type, range and default (docs/settings.md).
struct SettingKey: Sendable {
    let name: String
    let kind: Kind
    let range: Range
    let defaultValue: JSON
    /// Whether it changes anything in this release.
    let effect: Effect
    /// Why not, where it does not.
    let note: String?

    enum Kind: Sendable { case boolean, string, strings, number }
    enum Effect: String, Sendable { case applies, notYet, notApplicable }

    /// Which values of its type a key takes.
    enum Range: Sendable {
        case any
        case one([String])
        case colour
        case innerPath
    }

    /// The key of a name, or of one that a release of the original had it under.
    static func named(_ name: String) -> SettingKey? {
        let known = formerNames.contains(name) ? appGroupIdentifiers : name
        return all.first { $0.name == known }
    }

    /// Slips of the first releases' pages.
    private static let formerNames = ["AppGroupIdentifier", "AppGroupIdentitifiers"]

    static let multiIdentity = "MultiIdentity"
    static let policyRequired = "MAMPolicyRequired"
    static let multiManagedIdentities = "MultiManagedIdentities"
    static let containingAppBundleId = "ContainingAppBundleId"
    static let verboseLoggingEnabled = "VerboseLoggingEnabled"
    static let autoEnrollOnLaunch = "AutoEnrollOnLaunch"
    static let policyWarnAbsent = "MAMPolicyWarnAbsent"
    static let valuesToScrubFromLogging = "ValuesToScrubFromLogging"
    static let appGroupIdentifiers = "AppGroupIdentifiers"
    static let debugSettingsEnabled = "DebugSettingsEnabled"
    static let maxFileProtectionLevel = "MaxFileProtectionLevel"

    /// Where people sign in: set at run time, these go with the last managed account.
    static let signIn = ["ADALAuthority", "ADALClientId", "ADALRedirectUri"]

    private static let signingIn = "the host signs people in"
    private static let screens = "libmam shows no screens"
    private static let views = "of Apple's views"

    static let all: [SettingKey] = [
        .init("ADALAuthority", .string, .null, .notYet, signingIn),
        .init(
            "ADALCacheKeychainGroupOverride", .string, "com.microsoft.adalcache", .notApplicable,
            "there is no keychain with groups"),
        .init("ADALClientId", .string, .null, .notYet, signingIn),
        .init("ADALLogOverrideDisabled", .boolean, false, .notYet, signingIn),
        .init("ADALRedirectScheme", .string, .null, .notYet, signingIn),
        .init("ADALRedirectUri", .string, .null, .notYet, signingIn),
        .init("AccentColor", .string, .null, .notYet, screens, .colour),
        .init(appGroupIdentifiers, .strings, [], .applies),
        .init(autoEnrollOnLaunch, .boolean, false, .applies),
        .init("BackgroundColor", .string, .null, .notYet, screens, .colour),
        .init(containingAppBundleId, .string, .null, .applies),
        .init(debugSettingsEnabled, .boolean, false, .applies),
        .init(
            "DocumentBrowserFileCachePath", .string, "/Documents/", .notYet, "this release imports no files", .innerPath
        ),
        .init("FinishLaunchingAtStartup", .boolean, false, .notApplicable, "the host decides when it has launched"),
        .init("ForegroundColor", .string, .null, .notYet, screens, .colour),
        .init(policyRequired, .boolean, false, .applies),
        .init(policyWarnAbsent, .boolean, false, .applies),
        .init("MAMTelemetryDisabled", .boolean, false, .notYet, "libmam sends no telemetry"),
        .init("MAMTelemetryUsePPE", .boolean, false, .notApplicable, "libmam sends no telemetry"),
        .init("MainNibFile", .string, .null, .notApplicable, views),
        .init("MainNibFile~ipad", .string, .null, .notApplicable, views),
        .init("MainStoryboardFile", .string, .null, .notApplicable, views),
        .init("MainStoryboardFile~ipad", .string, .null, .notApplicable, views),
        .init(maxFileProtectionLevel, .string, "NSFileProtectionComplete", .applies, nil, .one(EncryptionCap.names)),
        .init(multiIdentity, .boolean, false, .applies),
        .init("MultiIdentityCancelDisabled", .boolean, false, .notYet, "nothing asks whether to cancel"),
        .init(multiManagedIdentities, .boolean, false, .applies),
        .init("OpenInActionExtension", .boolean, false, .notApplicable, "there are no action extensions"),
        .init("SafariViewControllerBlockedOverride", .boolean, false, .notApplicable, views),
        .init("SecondaryBackgroundColor", .string, .null, .notYet, screens, .colour),
        .init("SecondaryForegroundColor", .string, .null, .notYet, screens, .colour),
        .init("SplashDuration", .number, .decimal("1.5"), .notApplicable, screens),
        .init("SplashIconFile", .string, .null, .notApplicable, screens),
        .init("SplashIconFile~ipad", .string, .null, .notApplicable, screens),
        .init("SupportsDarkMode", .boolean, true, .notApplicable, screens),
        .init("TreatAllWebViewsAsUnmanaged", .boolean, false, .notYet, "this release answers nothing for web views"),
        .init(valuesToScrubFromLogging, .strings, [], .applies),
        .init(verboseLoggingEnabled, .boolean, false, .applies),
        .init("WebViewHandledURLSchemes", .strings, [], .notYet, "this release answers nothing for web views"),
    ]

    private init(
        _ name: String, _ kind: Kind, _ defaultValue: JSON, _ effect: Effect, _ note: String? = nil,
        _ range: Range = .any
    ) {
        self.name = name
        self.kind = kind
        self.range = range
        self.defaultValue = defaultValue
        self.effect = effect
        self.note = note
    }
}
