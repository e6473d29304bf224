/// Every property that this release knows. docs/properties.md documents this table.
enum PropertyTable {
    /// All properties, in the order in which settings are reported.
    static let all = Array(read.joined()) + descriptive + otherPlatforms

    private static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// The properties whose values are parsed, in the same order. Policies in force need no others: the rest of the table,
    /// mostly texts, is created on demand.
    static let read = [dataProtection, pin, conditionalLaunch, links]

    /// Returns the property of exactly this name, if its values are parsed.
    static func read(_ name: String) -> PropertyDefinition? {
        for group in read {
            if let found = group.first(where: { $0.name == name && $0.name.utf8.elementsEqual(name.utf8) }) {
                return found
            }
        }
        return nil
    }

    /// Returns the property of exactly this name.
    static subscript(_ name: String) -> PropertyDefinition? {
        if let found = byName[name], found.name.utf8.elementsEqual(name.utf8) { return found }
        // OData annotations and actions ("#microsoft.graph.assign").
        let isOData = name.utf8.contains(UInt8(ascii: "@")) || name.utf8.first == UInt8(ascii: "#")
        return isOData ? PropertyDefinition(name, describes) : nil
    }

    private static let transfer: SettingKind = .level(TransferLevel.names.map { [$0] })
    private static let actions: SettingKind = .level(
        [["warn"], ["block"], ["blockWhenSettingIsSupported"], ["wipe"]], emptyIsNone: true, misread: "block")
    private static let blocked: SettingKind = .flag(strict: true)
    static let launching = "checked by launches: docs/launch.md"
    private static let launch: PropertyDefinition.Coverage = .enforced(launching)
    private static let pinRule: PropertyDefinition.Coverage = .enforced("asked of a PIN: docs/pin.md")
    private static let biometrics: PropertyDefinition.Coverage = .enforced(
        "whether biometrics may stand in for the PIN: docs/launch.md")
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
        .init(.saveAsBlocked, "saveTo where the outbound level is managedApps", blocked),
        .init(
            .storageLocations, "saveTo where saveAsBlocked is true",
            .exceptions(
                .names([
                    "oneDriveForBusiness", "sharePoint", "box", "localStorage", "photoLibrary", "iManage", "egnyte",
                ]))),
        .init(
            .ingestionBlocked, "openFrom and documentPicker (import, open) where the inbound level is managedApps",
            blocked),
        .init(
            .ingestionLocations, "openFrom where blockDataIngestionIntoOrganizationDocuments is true",
            .exceptions(.names(["oneDriveForBusiness", "sharePoint", "camera", "photoLibrary"]))),
        .init(.backupBlocked, "backup", blocked),
        .init(.printBlocked, "print", blocked),
        .init(.contactSyncBlocked, "contactSync", blocked),
        .init(.keyboardsBlocked, "thirdPartyKeyboards", blocked),
        .init(.keyboardsRestricted, "thirdPartyKeyboards: no keyboard of this host is an approved package", blocked),
        .init(.screenCaptureState, "screenCapture", .level([["notBlocked"], ["blocked"]])),
        .init(.screenCaptureBlocked, "screenCapture where screenCaptureConfigurationState is absent", blocked),
        .init(
            .widgetContentSync, "widgetContentSync; where absent the outbound level does (allApps alone allows)",
            .flag(strict: false)),
        .init(
            .encryptionType,
            "fileEncryptionRequired and fileProviderEncrypt, and whether data is read while the screen is locked",
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
        .init(
            .unknownFiles, "owner of incoming files of unknown origin, where the inbound level is allApps", blocked),
        .init(
            "customSettings",
            .inapplicable("app configuration comes from targetedManagedAppConfiguration, the tenant's by __IsDefault")),
    ]

    private static let pin: [PropertyDefinition] = [
        .init(.pinRequired, "pinRequired", blocked),
        .init(.pinDisabledByDeviceLock, "pinRequired where the device lock is on", .flag(strict: false)),
        .init("maximumPinRetries", pinRule, .number(1...65535, lowerIsStricter: true)),
        .init("appActionIfMaximumPinRetriesExceeded", pinRule, actions),
        .init("simplePinBlocked", pinRule, blocked),
        .init("minimumPinLength", pinRule, .number(0...65535, lowerIsStricter: false)),
        .init("pinCharacterSet", pinRule, .level([["numeric"], ["alphanumericAndSymbol"]])),
        .init("periodBeforePinReset", pinRule, .span(zeroIsOff: true)),
        .init("previousPinBlockCount", pinRule, .number(0...24, lowerIsStricter: false)),
        .init("fingerprintBlocked", biometrics, blocked),
        .init("faceIdBlocked", biometrics, blocked),
        .init("biometricAuthenticationBlocked", biometrics, blocked),
        .init("pinRequiredInsteadOfBiometricTimeout", biometrics, .span(zeroIsOff: false)),
        .init("organizationalCredentialsRequired", launch, blocked),
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
        .init("minimumRequiredAppVersion", .appCheck, .minimumVersion),
        .init("minimumWarningAppVersion", .appCheck, .minimumVersion),
        .init("minimumWipeAppVersion", .appCheck, .minimumVersion),
        .init("minimumRequiredSdkVersion", .libraryCheck, .minimumVersion),
        .init("minimumWarningSdkVersion", .libraryCheck, .minimumVersion),
        .init("minimumWipeSdkVersion", .libraryCheck, .minimumVersion),
        .init("allowedIosDeviceModels", .hostCheck, .allowOnly),
        .init("appActionIfIosDeviceModelNotAllowed", .hostCheck, actions),
        .init(
            "maximumAllowedDeviceThreatLevel", launch,
            .level([["notConfigured"], ["high"], ["medium"], ["low"], ["secured"]], emptyIsNone: true)),
        .init("mobileThreatDefenseRemediationAction", launch, actions),
        .init(
            "mobileThreatDefensePartnerPriority",
            .inapplicable("ranks threat-defence partners; here the host reports one level, whoever found it")),
        .init("appActionIfUnableToAuthenticateUser", launch, actions),
        .init("appActionIfAccountIsClockedOut", launch, actions),
        .init("gracePeriodToBlockAppsDuringOffClockHours", launch, .span(zeroIsOff: false)),
    ]

    private static let links: [PropertyDefinition] = [
        .init(.managedBrowserRequired, "managedBrowserRequired, and url for web links", blocked),
        .init(
            .managedBrowser, "where url sends web links",
            .level([["notConfigured"], ["microsoftEdge"]], emptyIsNone: true)),
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
            .init("appGroupType", .enforced("targeting, by the authority: allApps reaches every app")),
            .init(
                "targetedAppManagementLevels",
                .inapplicable("the authority does not tell managed devices from others: it reaches all")),
        ]
}
