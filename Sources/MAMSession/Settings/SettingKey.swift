import MAMSupport

/// One key of the original's IntuneMAMSettings dictionary: its type and default (docs/settings.md).
struct SettingKey: Sendable {
    let name: String
    let kind: Kind
    let defaultValue: JSON
    /// Whether it changes anything in this release.
    let effect: Effect

    enum Kind: String, Sendable { case boolean, string, strings = "array of strings", number }
    enum Effect: String, Sendable { case applies, notYet, notApplicable }

    /// Refuse a value of another type.
    func check(_ value: JSON) throws(MAMError) {
        let isValid =
            switch kind {
            case .boolean: value.bool != nil
            case .string: value.string != nil
            case .strings: value.array?.allSatisfy { $0.string != nil } == true
            case .number:
                switch value {
                case .integer(let number): number >= 0
                case .decimal(let text): Double(text).map { $0 >= 0 } == true
                default: false
                }
            }
        if name == "MaxFileProtectionLevel", let level = value.string, !SettingKey.protectionLevels.contains(level) {
            let levels = SettingKey.protectionLevels.joined(separator: ", ")
            throw MAMError(.json, "\(name) must be one of \(levels)", [("setting", .string(name))])
        }
        if name.utf8.reversed().starts(with: "roloC".utf8), let colour = value.string, !SettingKey.isColour(colour) {
            throw MAMError(.json, "\(name) must be a colour like #1A2B3C, or empty", [("setting", .string(name))])
        }
        guard isValid else {
            let text = kind == .number ? "a number that is not negative" : "a JSON \(kind.rawValue)"
            throw MAMError(.json, "\(name) must be \(text)", [("setting", .string(name))])
        }
    }

    private static func isColour(_ text: String) -> Bool {
        let digits = text.utf8.first == UInt8(ascii: "#") ? text.dropFirst() : text[...]
        return text.isEmpty || digits.utf8.count == 6 && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    private static let protectionLevels = [
        "NSFileProtectionComplete", "NSFileProtectionCompleteUnlessOpen",
        "NSFileProtectionCompleteUntilFirstUserAuthentication", "NSFileProtectionNone",
    ]

    static func named(_ name: String) -> SettingKey? { all.first { $0.name == name } }

    static let multiIdentity = "MultiIdentity"
    static let policyRequired = "MAMPolicyRequired"
    static let multiManagedIdentities = "MultiManagedIdentities"
    static let containingAppBundleId = "ContainingAppBundleId"
    static let verboseLoggingEnabled = "VerboseLoggingEnabled"
    static let autoEnrollOnLaunch = "AutoEnrollOnLaunch"
    static let policyWarnAbsent = "MAMPolicyWarnAbsent"
    static let treatAllWebViewsAsUnmanaged = "TreatAllWebViewsAsUnmanaged"
    static let webViewHandledURLSchemes = "WebViewHandledURLSchemes"
    static let valuesToScrubFromLogging = "ValuesToScrubFromLogging"

    static let all: [SettingKey] = [
        .init("ADALAuthority", .string, .null, .notYet),
        .init("ADALCacheKeychainGroupOverride", .string, "com.microsoft.adalcache", .notApplicable),
        .init("ADALClientId", .string, .null, .notYet),
        .init("ADALLogOverrideDisabled", .boolean, false, .notYet),
        .init("ADALRedirectScheme", .string, .null, .notYet),
        .init("ADALRedirectUri", .string, .null, .notYet),
        .init("AccentColor", .string, .null, .notYet),
        .init("AppGroupIdentifiers", .strings, [], .notYet),
        .init(autoEnrollOnLaunch, .boolean, false, .applies),
        .init("BackgroundColor", .string, .null, .notYet),
        .init(containingAppBundleId, .string, .null, .applies),
        .init("DebugSettingsEnabled", .boolean, false, .notYet),
        .init("DocumentBrowserFileCachePath", .string, "/Documents/", .notYet),
        .init("FinishLaunchingAtStartup", .boolean, false, .notApplicable),
        .init("ForegroundColor", .string, .null, .notYet),
        .init(policyRequired, .boolean, false, .applies),
        .init(policyWarnAbsent, .boolean, false, .applies),
        .init("MAMTelemetryDisabled", .boolean, false, .notYet),
        .init("MAMTelemetryUsePPE", .boolean, false, .notApplicable),
        .init("MainNibFile", .string, .null, .notApplicable),
        .init("MainNibFile~ipad", .string, .null, .notApplicable),
        .init("MainStoryboardFile", .string, .null, .notApplicable),
        .init("MainStoryboardFile~ipad", .string, .null, .notApplicable),
        .init("MaxFileProtectionLevel", .string, "NSFileProtectionComplete", .notYet),
        .init(multiIdentity, .boolean, false, .applies),
        .init("MultiIdentityCancelDisabled", .boolean, false, .notYet),
        .init(multiManagedIdentities, .boolean, false, .applies),
        .init("OpenInActionExtension", .boolean, false, .notApplicable),
        .init("SafariViewControllerBlockedOverride", .boolean, false, .notApplicable),
        .init("SecondaryBackgroundColor", .string, .null, .notYet),
        .init("SecondaryForegroundColor", .string, .null, .notYet),
        .init("SplashDuration", .number, .decimal("1.5"), .notApplicable),
        .init("SplashIconFile", .string, .null, .notApplicable),
        .init("SplashIconFile~ipad", .string, .null, .notApplicable),
        .init("SupportsDarkMode", .boolean, true, .notApplicable),
        .init(treatAllWebViewsAsUnmanaged, .boolean, false, .applies),
        .init(valuesToScrubFromLogging, .strings, [], .applies),
        .init(verboseLoggingEnabled, .boolean, false, .applies),
        .init(webViewHandledURLSchemes, .strings, [], .applies),
    ]

    private init(_ name: String, _ kind: Kind, _ defaultValue: JSON, _ effect: Effect) {
        self.name = name
        self.kind = kind
        self.defaultValue = defaultValue
        self.effect = effect
    }
}
