/// Every property this release knows. docs/policy.md is this table for people.
enum PropertyTable {
    /// All of them, in the order in which settings are reported.
    static let all = dataProtection + pin + conditionalLaunch + links + descriptive + otherPlatforms

    private static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// The property of exactly this name.
    static subscript(_ name: String) -> PropertyDefinition? {
        if let found = byName[name], found.name.utf8.elementsEqual(name.utf8) { return found }
        return name.utf8.contains(UInt8(ascii: "@")) ? PropertyDefinition(name, describes) : nil
    }

    private static let transfer: SettingKind = .level(TransferLevel.allCases.map { [$0.name] })
    private static let actions: SettingKind = .level(
        [["warn"], ["block"], ["blockWhenSettingIsSupported"], ["wipe"]], nullable: true)
    private static let blocked: SettingKind = .flag(strict: true)
    private static let launch: PropertyDefinition.Coverage = .later("conditional launch")
    static let describing = "describes the policy"
    private static let describes: PropertyDefinition.Coverage = .inapplicable(describing)

    private static let dataProtection: [PropertyDefinition] = [
        .init(
            .inbound, "openFrom, receive, documentPicker (import, open) and what others may save to this account",
            transfer),
        .init(
            .outbound,
            "saveTo, appSharing, indexing, assistantIntents, appIntents, fileProviderEncrypt, "
                + "documentPicker (export, move) and what others may open from this account", transfer),
        .init(.saveAsBlocked, "saveTo and documentPicker (export, move)", blocked),
        .init(
            .storageLocations, "saveTo where saveAsBlocked is true",
            .exceptions(
                .names([
                    "oneDriveForBusiness", "sharePoint", "box", "localStorage", "photoLibrary", "iManage", "egnyte",
                ]))),
        .init(.ingestionBlocked, "openFrom and documentPicker (import, open)", blocked),
        .init(
            .ingestionLocations, "openFrom where blockDataIngestionIntoOrganizationDocuments is true",
            .exceptions(.names(["oneDriveForBusiness", "sharePoint", "camera", "photoLibrary"]))),
        .init(.backupBlocked, "backup", blocked),
        .init(.printBlocked, "print", blocked),
        .init(.contactSyncBlocked, "contactSync", blocked),
        .init(.keyboardsBlocked, "thirdPartyKeyboards", blocked),
        .init(.screenCaptureState, "screenCapture", .level([["notBlocked"], ["blocked"]])),
        .init(.screenCaptureBlocked, "screenCapture where screenCaptureConfigurationState is absent", blocked),
        .init(.widgetContentSync, "widgetContentSync", .flag(strict: false)),
        .init(
            .encryptionType, "fileEncryptionRequired and fileProviderEncrypt",
            .level([
                ["useDeviceSettings"], ["afterDeviceRestart"], ["whenDeviceLockedExceptOpenFiles"],
                ["whenDeviceLocked"],
            ])),
        .init(
            .encryptAppData, "fileEncryptionRequired and fileProviderEncrypt where appDataEncryptionType is absent",
            blocked),
        .init("apps", .enforced("targeting, by the authority")),
        .init("assignments", .enforced("targeting, by the authority")),
        .init(.clipboardLevel, "clipboard", .level(ClipboardLevel.allCases.map(\.names))),
        .init(
            .clipboardException, "clipboard: how many characters pass where the level forbids it",
            .number(0...65535, lowerIsStricter: true)),
        .init(
            .notifications, "notification and notificationOrgData", .level(NotificationLevel.allCases.map { [$0.name] })
        ),
        .init(.shareFilter, "share targets that are schemes, where the outbound level is managedApps", blocked),
        .init("protectInboundDataFromUnknownSources", .later("owner of incoming files"), blocked),
        .init("customSettings", .later("app configuration")),
        .init("disableAppEncryptionIfDeviceEncryptionIsEnabled", .later("device encryption"), .flag(strict: false)),
    ]

    private static let pin: [PropertyDefinition] = [
        .init(.pinRequired, "pinRequired", blocked),
        .init(.pinDisabledByDeviceLock, "pinRequired where the device lock is on", .flag(strict: false)),
        .init("maximumPinRetries", .later("PIN"), .number(1...65535, lowerIsStricter: true)),
        .init("appActionIfMaximumPinRetriesExceeded", .later("PIN"), actions),
        .init("simplePinBlocked", .later("PIN"), blocked),
        .init("minimumPinLength", .later("PIN"), .number(0...65535, lowerIsStricter: false)),
        .init("pinCharacterSet", .later("PIN"), .level([["numeric"], ["alphanumericAndSymbol"]])),
        .init("periodBeforePinReset", .later("PIN"), .span(zeroIsOff: true)),
        .init("previousPinBlockCount", .later("PIN"), .number(0...24, lowerIsStricter: false)),
        .init("fingerprintBlocked", .later("biometrics"), blocked),
        .init("faceIdBlocked", .later("biometrics"), blocked),
        .init("biometricAuthenticationBlocked", .later("biometrics"), blocked),
        .init("pinRequiredInsteadOfBiometricTimeout", .later("biometrics"), .span(zeroIsOff: false)),
        .init("organizationalCredentialsRequired", .later("sign-in at access"), blocked),
    ]

    private static let conditionalLaunch: [PropertyDefinition] = [
        .init("periodOfflineBeforeAccessCheck", launch, .span(zeroIsOff: false)),
        .init("periodOnlineBeforeAccessCheck", launch, .span(zeroIsOff: false)),
        .init("periodOfflineBeforeWipeIsEnforced", launch, .span(zeroIsOff: true)),
        .init("deviceComplianceRequired", launch, blocked),
        .init("appActionIfDeviceComplianceRequired", launch, actions),
        .init("deviceLockRequired", launch, blocked),
        .init("appActionIfDeviceLockNotSet", launch, actions),
        .init("minimumRequiredOsVersion", .hostCheck, .minimumVersion),
        .init("minimumWarningOsVersion", .hostCheck, .minimumVersion),
        .init("minimumWipeOsVersion", .hostCheck, .minimumVersion),
        .init("maximumRequiredOsVersion", .hostCheck, .maximumVersion),
        .init("maximumWarningOsVersion", .hostCheck, .maximumVersion),
        .init("maximumWipeOsVersion", .hostCheck, .maximumVersion),
        .init("minimumRequiredAppVersion", launch, .minimumVersion),
        .init("minimumWarningAppVersion", launch, .minimumVersion),
        .init("minimumWipeAppVersion", launch, .minimumVersion),
        .init("minimumRequiredSdkVersion", launch, .minimumVersion),
        .init("minimumWarningSdkVersion", launch, .minimumVersion),
        .init("minimumWipeSdkVersion", launch, .minimumVersion),
        .init("allowedIosDeviceModels", .hostCheck, .allowOnly),
        .init("appActionIfIosDeviceModelNotAllowed", .hostCheck, actions),
        .init(
            "maximumAllowedDeviceThreatLevel", launch,
            .level([["notConfigured"], ["high"], ["medium"], ["low"], ["secured"]], nullable: true)),
        .init("mobileThreatDefenseRemediationAction", launch, actions),
        .init("mobileThreatDefensePartnerPriority", launch, .text),
        .init("appActionIfUnableToAuthenticateUser", launch, actions),
        .init("appActionIfAccountIsClockedOut", launch, actions),
        .init("gracePeriodToBlockAppsDuringOffClockHours", launch, .span(zeroIsOff: false)),
    ]

    private static let links: [PropertyDefinition] = [
        .init(.managedBrowserRequired, "managedBrowserRequired, and url for web links", blocked),
        .init(
            .managedBrowser, "where url sends web links",
            .level([["notConfigured"], ["microsoftEdge"]], nullable: true)),
        .init(.customBrowserProtocol, "where url sends web links when no managed browser is named", .scheme),
        .init(.exemptedProtocols, "url for schemes where the outbound level is managedApps", .exceptions(.schemes)),
        .init(.managedLinks, "universalLink, and where url sends web links", .exceptions(.links)),
        .init(.exemptedLinks, "universalLink, and url for web links", .exceptions(.links)),
        .init(
            .dialerLevel, "url for telephone links",
            .level([["allApps"], ["managedApps"], ["customApp"], ["blocked"]])),
        .init(.customDialerProtocol, "where url sends telephone links", .scheme),
        .init(
            .messagingLevel, "url for message links",
            .level([["anyApp"], ["anyManagedApp"], ["specificApps"], ["blocked"]])),
        .init(.messagingScheme, "where url sends message links", .scheme),
    ]

    private static let descriptive: [PropertyDefinition] =
        [
            "id", "displayName", "description", "createdDateTime", "lastModifiedDateTime", "version", "roleScopeTagIds",
            "isAssigned", "deployedAppCount", "deploymentSummary",
        ].map { .init($0, describes) } + [
            .init("appGroupType", .later("targeting by groups of apps")),
            .init("targetedAppManagementLevels", .later("targeting by device management")),
        ]
}
