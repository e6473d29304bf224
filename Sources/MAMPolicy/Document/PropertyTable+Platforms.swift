/// Which platforms' policies have a property, by Graph's metadata. A listing of the properties reads it, and the reading of a
/// Windows policy; a process without either does not have it in memory.
extension PropertyTable {
    /// The platforms, in the order of ``Platform``. A Linux policy has whatever means something here.
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

    /// Of `windowsManagedAppProtection` too, which shares no ancestor with the others but `managedAppPolicy`.
    private static let everywhere: Set<String> = [
        "id", "displayName", "description", "createdDateTime", "lastModifiedDateTime", "version", "roleScopeTagIds",
        "deployedAppCount", "deploymentSummary", "apps", "allowedInboundDataTransferSources",
        "allowedOutboundDataTransferDestinations", "allowedOutboundClipboardSharingLevel", "printBlocked",
        "periodOfflineBeforeAccessCheck", "periodOfflineBeforeWipeIsEnforced", "maximumAllowedDeviceThreatLevel",
        "mobileThreatDefenseRemediationAction", "appActionIfUnableToAuthenticateUser", "minimumRequiredOsVersion",
        "minimumWarningOsVersion", "minimumWipeOsVersion", "maximumRequiredOsVersion", "maximumWarningOsVersion",
        "maximumWipeOsVersion", "minimumRequiredAppVersion", "minimumWarningAppVersion", "minimumWipeAppVersion",
    ]

    /// Of policies that are targeted at apps and users.
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
