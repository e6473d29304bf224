import MAMSupport

/// The properties that decide something in this release; docs/policy.md "Enforced".
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
    case screenCaptureState = "screenCaptureConfigurationState"
    case screenCaptureBlocked
    case widgetContentSync = "allowWidgetContentSync"
    case managedBrowserRequired = "managedBrowserToOpenLinksRequired"
    case encryptionType = "appDataEncryptionType"
    case encryptAppData
    case pinRequired
    case pinDisabledByDeviceLock = "disableAppPinIfDevicePinIsSet"

    /// The name in a policy.
    var name: String { rawValue }

    /// The value that restricts nothing: what an absent property has. (An absent `allowWidgetContentSync` follows the
    /// outbound level; true is its free value.)
    var neutral: JSON {
        switch self {
        case .inbound, .outbound: "allApps"
        case .storageLocations, .ingestionLocations: []
        case .screenCaptureState: "notBlocked"
        case .encryptionType: "useDeviceSettings"
        case .widgetContentSync: true
        case .saveAsBlocked, .ingestionBlocked, .backupBlocked, .printBlocked, .contactSyncBlocked, .keyboardsBlocked,
            .screenCaptureBlocked, .managedBrowserRequired, .encryptAppData, .pinRequired, .pinDisabledByDeviceLock:
            false
        }
    }

    /// The switch without which this setting means nothing: policies whose switch is off do not take part in its merge.
    var condition: PolicySetting? {
        switch self {
        case .storageLocations: .saveAsBlocked
        case .ingestionLocations: .ingestionBlocked
        case .pinDisabledByDeviceLock: .pinRequired
        default: nil
        }
    }

    /// Another platform's word for the same; it stands aside where the policy has this one as well.
    var twin: PolicySetting? {
        switch self {
        case .screenCaptureState: .screenCaptureBlocked
        case .encryptionType: .encryptAppData
        default: nil
        }
    }
}
