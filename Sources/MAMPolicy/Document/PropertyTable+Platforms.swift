/// The platforms whose policies have a property, from Microsoft Graph's metadata. Only listing the properties and parsing a
/// Windows policy load these tables.
extension PropertyTable {
    /// Returns the platforms in the order of ``Platform``. A Linux policy has all properties that apply here.
    static func platforms(of property: PropertyDefinition) -> [Platform] {
        let graph = graphPlatforms(of: property.name)
        return Platform.allCases.filter { $0 == .linux ? property.isForLinux : graph.contains($0) }
    }

    private static func graphPlatforms(of name: String) -> [Platform] {
        if everywhere.contains(name) { return [.ios, .android, .windows, .default] }
        if name == "minimumWarningSdkVersion" { return [.ios, .default] }
        if name.utf8.suffix(10).elementsEqual("SdkVersion".utf8) { return [.ios, .windows, .default] }
        if name == "assignments" || name == "isAssigned" { return [.ios, .android, .windows] }
        if targeted.contains(name) || adminPage.contains(name) { return [.ios, .android] }
        if iosAlone.contains(name) || apple.contains(where: { $0.0 == name }) { return [.ios, .default] }
        if androidAlone.contains(name) || android.contains(where: { $0.0 == name }) { return [.android, .default] }
        return name == "customSettings" ? [.default] : [.ios, .android, .default]
    }

    /// Properties of all platforms, including `windowsManagedAppProtection`, which shares only `managedAppPolicy` with the
    /// others.
    private static let everywhere: Set<String> = [
        "id", "displayName", "description", "createdDateTime", "lastModifiedDateTime", "version", "roleScopeTagIds",
        "deployedAppCount", "deploymentSummary", "apps", "allowedInboundDataTransferSources",
        "allowedOutboundDataTransferDestinations", "allowedOutboundClipboardSharingLevel", "printBlocked",
        "periodOfflineBeforeAccessCheck", "periodOfflineBeforeWipeIsEnforced", "maximumAllowedDeviceThreatLevel",
        "mobileThreatDefenseRemediationAction", "appActionIfUnableToAuthenticateUser", "minimumRequiredOsVersion",
        "minimumWarningOsVersion", "minimumWipeOsVersion", "maximumRequiredOsVersion", "maximumWarningOsVersion",
        "maximumWipeOsVersion", "minimumRequiredAppVersion", "minimumWarningAppVersion", "minimumWipeAppVersion",
    ]

    /// Properties of policies that are targeted at apps and users.
    private static let targeted: Set<String> = ["appGroupType", "targetedAppManagementLevels"]

    private static let iosAlone: Set<String> = [
        "faceIdBlocked", "thirdPartyKeyboardsBlocked", "screenCaptureConfigurationState", "allowWidgetContentSync",
        "customBrowserProtocol", "exemptedAppProtocols", "exemptedUniversalLinks", "managedUniversalLinks",
        "customDialerAppProtocol", "messagingRedirectAppUrlScheme", "allowedIosDeviceModels",
        "appActionIfIosDeviceModelNotAllowed", "protectInboundDataFromUnknownSources", "appDataEncryptionType",
        "filterOpenInToOnlyManagedApps",
    ]

    private static let androidAlone: Set<String> = [
        "screenCaptureBlocked", "encryptAppData", "biometricAuthenticationBlocked", "deviceLockRequired",
        "appActionIfDeviceLockNotSet", "keyboardsRestricted",
    ]
}

extension PropertyDefinition {
    fileprivate var isForLinux: Bool {
        if case .inapplicable = coverage { isDescriptive } else { true }
    }
}
