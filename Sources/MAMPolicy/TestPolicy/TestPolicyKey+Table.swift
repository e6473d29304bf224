extension TestPolicyKey {
    private static let ofService = "Intune's service is not asked"
    private static let ofSystem = "sharing by Apple's systems"

    private static func key(
        _ name: String, _ kind: Kind, was formerName: String? = nil, note: String? = nil
    ) -> TestPolicyKey {
        TestPolicyKey(prefix + name, kind, was: formerName.map { prefix + $0 }, note: note)
    }

    /// Names of client settings that the Intune App SDK's guides print, but that its test file does not contain.
    static let inGuides = [
        "AllowedIOSModelsElseBlock", "AllowedIOSModelsElseWipe", "AllowedOutboundClipboardSharingExceptionLength",
        "AppActionIfUnableToAuthenticateUser", "BlockClockStatusWithGracePeriod", "ClipboardCharacterLengthException",
        "ClipboardEncryptionEnabled", "DeviceComplianceFailureAction", "DialerRestrictionLevel", "DictationBlocked",
        "DisableShareSense", "ManagedLocations", "ManagedUniversalLinks", "MaxOsVersion", "MaxOsVersionWarning",
        "MaxOsVersionWipe", "MaxPinRetryExceededAction", "MinAppVersionWipe", "MinOsVersionWipe", "MinSDKVersionWipe",
        "MinimumRequiredDeviceThreatProtectionLevel", "MobileThreatDefenseRemediationAction",
        "NotificationRestriction", "OfflineWipeInterval", "OpenDataFromManagedLocations", "ProtocolExclusions",
        "RequireFileEncryption", "SpecificDialerProtocol", "UniversalLinkExclusions", "UnmanagedBrowserProtocol",
    ]

    private static let minutes = Int64(0)...5_256_000

    /// Every key, in the order of the Intune App SDK's file.
    static let all: [TestPolicyKey] = [
        key("DebugEnabled", .toggle(false)),
        key("UsePPE", .toggle(false), note: ofService),
        key("UseSovCloudBeta", .toggle(false), note: ofService),
        key("IntuneIdentityUPN", .text("")),
        key("ManagedBrowserRequired", .toggle(true)),
        key("DataBackupDisabled", .toggle(true)),
        key("AppSharingToLevel", .choice(upTo: 2, 1)),
        key("AppSharingFromLevel", .choice(upTo: 2, 1)),
        key("ClipboardSharingLevel", .choice(upTo: 3, 1)),
        key("ContactSyncDisabled", .toggle(false)),
        key("PrintingBlocked", .toggle(false)),
        key("ThirdPartyKeyboardsBlocked", .toggle(false), was: "ThirdPartyKeyboardBlocked"),
        key("FileSharingSaveAsDisabled", .toggle(true)),
        key("SaveLocation1", .toggle(true), was: "Location1"),
        key("SaveLocation2", .toggle(true), was: "Location2"),
        key("SaveLocation4", .toggle(false), was: "Location4"),
        key("SaveLocation8", .toggle(false), was: "Location8", note: "no policy can name Dropbox: it stays blocked"),
        key(
            "SaveLocation16", .toggle(false), was: "Location16",
            note: "no policy can name Google Drive: it stays blocked"),
        key("SaveLocation32", .toggle(false), was: "Location32"),
        key("OpenDataIntoOrgDocumentsBlocked", .toggle(false)),
        key("OpenLocation1", .toggle(true)),
        key("OpenLocation2", .toggle(true)),
        key("OpenLocation4", .toggle(false)),
        key("OpenLocation8", .toggle(false), note: "the local device follows AppSharingFromLevel"),
        key("PINEnabled", .toggle(true)),
        key("SimplePINAllowed", .toggle(true)),
        key("AppPinDisabled", .toggle(false)),
        key("PINMinLength", .count(0...65535, "4")),
        key("PINCharacterType", .choice(upTo: 3, 1)),
        key("PINNumRetry", .count(1...65535, "5")),
        key("PINExpiryDays", .count(0...65535, "90")),
        key("NonBioPassTimeOutRequired", .toggle(false)),
        key("NonBioPassTimeout", .count(minutes, "60"), was: "NonBioPassTimeOut"),
        key("FaceIDEnabled", .toggle(false)),
        key("TouchIDEnabled", .toggle(false)),
        key("AuthenticationEnabled", .toggle(false)),
        key("DeviceComplianceEnabled", .toggle(true)),
        key("AccessRecheckOnlineTimeout", .count(minutes, "30")),
        key("AccessRecheckOfflineTimeout", .count(minutes, "720")),
        key("MinOsVersion", .version("7.0"), was: "MinOSVersion"),
        key("MinAppVersion", .version("1.0")),
        key("MinSDKVersion", .version("1.0"), note: "the version of the Intune App SDK, not of libmam"),
        key("MinOsVersionWarning", .version("1.0")),
        key("MinAppVersionWarning", .version("1.0")),
        key("FileEncryptionLevel", .choice(upTo: 3, 1)),
        key("ProtectManagedOpenInData", .toggle(false), note: ofSystem),
        key("ProtectAllIncomingUnknownSourceData", .toggle(false)),
        key("EnableOpenInFilter", .toggle(false), note: ofSystem),
        key("DebugWipeOnLaunchResume", .toggle(false)),
        key("SBIVState", .choice(upTo: 14, 14), note: "internal to the Intune App SDK"),
        TestPolicyKey("DebugEmmUpn", .text(""), note: "name the device's account in device.mdmAccountId"),
        TestPolicyKey(
            "DebugIntuneMAMAllowedAccountsOnly", .word(["Enabled", "Disabled"]),
            note: "say IntuneMAMAllowedAccountsOnly in device.managedAppConfig"),
    ]
}
