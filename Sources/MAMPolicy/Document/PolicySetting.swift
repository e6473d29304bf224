import MAMSupport

/// The properties that decisions of this release depend on; docs/properties.md "Enforced".
enum PolicySetting: String, Sendable, CaseIterable {
    case inbound = "allowedInboundDataTransferSources"
    case outbound = "allowedOutboundDataTransferDestinations"
    case saveAsBlocked
    case storageLocations = "allowedDataStorageLocations"
    case ingestionBlocked = "blockDataIngestionIntoOrganizationDocuments"
    case ingestionLocations = "allowedDataIngestionLocations"
    case backupBlocked = "dataBackupBlocked"
    case printBlocked
    case contactSyncBlocked
    case keyboardsBlocked = "thirdPartyKeyboardsBlocked"
    case keyboardsRestricted
    case screenCaptureState = "screenCaptureConfigurationState"
    case screenCaptureBlocked
    case widgetContentSync = "allowWidgetContentSync"
    case clipboardLevel = "allowedOutboundClipboardSharingLevel"
    case clipboardException = "allowedOutboundClipboardSharingExceptionLength"
    case notifications = "notificationRestriction"
    case shareFilter = "filterOpenInToOnlyManagedApps"
    case unknownFiles = "protectInboundDataFromUnknownSources"
    case managedBrowserRequired = "managedBrowserToOpenLinksRequired"
    case managedBrowser
    case customBrowserProtocol
    case exemptedProtocols = "exemptedAppProtocols"
    case exemptedLinks = "exemptedUniversalLinks"
    case managedLinks = "managedUniversalLinks"
    case dialerLevel = "dialerRestrictionLevel"
    case customDialerProtocol = "customDialerAppProtocol"
    case messagingLevel = "protectedMessagingRedirectAppType"
    case messagingScheme = "messagingRedirectAppUrlScheme"
    case encryptionType = "appDataEncryptionType"
    case encryptAppData
    case pinRequired
    case pinDisabledByDeviceLock = "disableAppPinIfDevicePinIsSet"

    /// The name in a policy.
    var name: String { rawValue }

    /// The value that restricts nothing, or the default for lists of links. An absent property has this value, except that an
    /// absent `allowWidgetContentSync` follows the outbound level.
    var neutral: JSON {
        switch self {
        case .inbound, .outbound, .dialerLevel, .clipboardLevel: "allApps"
        case .clipboardException: 0
        case .notifications: "allow"
        case .messagingLevel: "anyApp"
        case .managedBrowser: "notConfigured"
        case .customBrowserProtocol, .customDialerProtocol, .messagingScheme: .null
        case .exemptedProtocols: .strings(DefaultLinks.exemptSchemes)
        case .exemptedLinks: .strings(DefaultLinks.exemptLinks)
        case .managedLinks: .strings(DefaultLinks.managedLinks)
        case .storageLocations, .ingestionLocations: []
        case .screenCaptureState: "notBlocked"
        case .encryptionType: "useDeviceSettings"
        case .widgetContentSync: true
        case .shareFilter, .unknownFiles, .saveAsBlocked, .ingestionBlocked, .backupBlocked, .printBlocked,
            .contactSyncBlocked,
            .keyboardsBlocked, .keyboardsRestricted,
            .screenCaptureBlocked, .managedBrowserRequired, .encryptAppData, .pinRequired, .pinDisabledByDeviceLock:
            false
        }
    }

    /// Returns whether a value restricts nothing.
    func isNeutral(_ value: JSON) -> Bool {
        switch self {
        case .clipboardLevel: ClipboardLevel.allApps.names.contains(value.string ?? "")
        case .exemptedProtocols:
            Set(LinkScheme.exemptible(value)) == Set(DefaultLinks.exemptSchemes)
        default: value == neutral
        }
    }

    /// The settings that enable this one; nil if it is always effective. Policies that restrict by none of them do not take
    /// part in its merge.
    var conditions: [PolicySetting]? {
        switch self {
        case .storageLocations: [.saveAsBlocked]
        case .ingestionLocations: [.ingestionBlocked]
        case .clipboardException: [.clipboardLevel]
        case .pinDisabledByDeviceLock: [.pinRequired]
        case .managedBrowser: [.managedBrowserRequired]
        case .exemptedProtocols: [.outbound]
        case .exemptedLinks, .managedLinks: [.outbound, .managedBrowserRequired]
        default: nil
        }
    }

    /// Whether the setting is a list of exceptions from the outbound level `managedApps`.
    var exceptsFromOutbound: Bool { [.exemptedProtocols, .exemptedLinks, .managedLinks].contains(self) }

    /// The equivalent setting of another platform. It is ignored if the policy has this one as well.
    var twin: PolicySetting? {
        switch self {
        case .screenCaptureState: .screenCaptureBlocked
        case .encryptionType: .encryptAppData
        default: nil
        }
    }
}
