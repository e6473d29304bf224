import MAMSupport

/// The rules that decisions depend on, of one policy or merged from several. `stricter` defines the stricter value of each member.
struct DecisionRules: Sendable, Equatable {
    /// Whether an app PIN is required.
    enum PIN: Int, Sendable {
        case notRequired, unlessDeviceLockIsOn, required
    }

    var outbound: TransferLevel
    var inbound: TransferLevel
    /// The locations that are exempt from saveAsBlocked; all if nothing is blocked.
    var saveLocations: LocationSet<SaveLocation>
    var isIngestionBlocked: Bool
    /// The locations that are exempt from blockDataIngestionIntoOrganizationDocuments; all if nothing is blocked.
    var openLocations: LocationSet<OpenLocation>
    var pin: PIN
    var isManagedBrowserRequired: Bool
    var isContactSyncAllowed: Bool
    var isWidgetContentSyncAllowed: Bool
    var isEncryptionRequired: Bool
    var lockedReading: LockedReading
    var isScreenCaptureAllowed: Bool
    var isPrintAllowed: Bool
    var isBackupAllowed: Bool
    var areThirdPartyKeyboardsAllowed: Bool
    var notifications: NotificationLevel
    var clipboard: ClipboardRules
    /// Whether data is shared only with apps of the registry.
    var isShareFiltered: Bool
    /// Whether the account takes ownership of incoming files of unknown owners.
    var takesUnknownFiles: Bool
}

extension DecisionRules {
    /// Creates the rules of one policy.
    init(_ settings: PolicySettings) {
        outbound = settings.level(.outbound)
        inbound = settings.level(.inbound)
        saveLocations = .all
        if settings.isTrue(.saveAsBlocked) {
            let listed = settings.value(.storageLocations).array?.compactMap(\.string) ?? []
            saveLocations = LocationSet { listed.contains($0.listName) }
        }
        isIngestionBlocked = settings.isTrue(.ingestionBlocked)
        openLocations = .all
        if isIngestionBlocked {
            let listed = settings.value(.ingestionLocations).array?.compactMap(\.string) ?? []
            openLocations = LocationSet { listed.contains($0.listName) }
        }
        pin =
            !settings.isTrue(.pinRequired)
            ? .notRequired : settings.isTrue(.pinDisabledByDeviceLock) ? .unlessDeviceLockIsOn : .required
        isManagedBrowserRequired = settings.isTrue(.managedBrowserRequired)
        isContactSyncAllowed = !settings.isTrue(.contactSyncBlocked)
        isWidgetContentSyncAllowed =
            settings.value(of: PolicySetting.widgetContentSync.name)?.bool ?? (outbound == .allApps)
        isEncryptionRequired = settings.restricts(by: .encryptionType) || settings.isTrue(.encryptAppData)
        lockedReading = LockedReading(settings)
        isScreenCaptureAllowed = !settings.restricts(by: .screenCaptureState) && !settings.isTrue(.screenCaptureBlocked)
        isPrintAllowed = !settings.isTrue(.printBlocked)
        isBackupAllowed = !settings.isTrue(.backupBlocked)
        areThirdPartyKeyboardsAllowed = !settings.isTrue(.keyboardsBlocked) && !settings.isTrue(.keyboardsRestricted)
        notifications = NotificationLevel(name: settings.value(.notifications).string)
        clipboard = ClipboardRules(settings)
        isShareFiltered = settings.isTrue(.shareFilter)
        takesUnknownFiles = settings.isTrue(.unknownFiles)
    }

    /// The rules without a policy: everything is allowed.
    static let free = DecisionRules(PolicySettings())

    /// The strictest value of every member.
    static let lockDown = DecisionRules(
        outbound: .none, inbound: .none, saveLocations: .none, isIngestionBlocked: true, openLocations: .none,
        pin: .required,
        isManagedBrowserRequired: true, isContactSyncAllowed: false, isWidgetContentSyncAllowed: false,
        isEncryptionRequired: true, lockedReading: .refused, isScreenCaptureAllowed: false, isPrintAllowed: false,
        isBackupAllowed: false,
        areThirdPartyKeyboardsAllowed: false, notifications: .block, clipboard: .lockDown, isShareFiltered: true,
        takesUnknownFiles: true)

    /// Returns the stricter of two rules, member by member; commutative, associative and idempotent.
    static func stricter(_ a: DecisionRules, _ b: DecisionRules) -> DecisionRules {
        DecisionRules(
            outbound: .stricter(a.outbound, b.outbound), inbound: .stricter(a.inbound, b.inbound),
            saveLocations: a.saveLocations.intersection(b.saveLocations),
            isIngestionBlocked: a.isIngestionBlocked || b.isIngestionBlocked,
            openLocations: a.openLocations.intersection(b.openLocations),
            pin: a.pin.rawValue >= b.pin.rawValue ? a.pin : b.pin,
            isManagedBrowserRequired: a.isManagedBrowserRequired || b.isManagedBrowserRequired,
            isContactSyncAllowed: a.isContactSyncAllowed && b.isContactSyncAllowed,
            isWidgetContentSyncAllowed: a.isWidgetContentSyncAllowed && b.isWidgetContentSyncAllowed,
            isEncryptionRequired: a.isEncryptionRequired || b.isEncryptionRequired,
            lockedReading: .stricter(a.lockedReading, b.lockedReading),
            isScreenCaptureAllowed: a.isScreenCaptureAllowed && b.isScreenCaptureAllowed,
            isPrintAllowed: a.isPrintAllowed && b.isPrintAllowed,
            isBackupAllowed: a.isBackupAllowed && b.isBackupAllowed,
            areThirdPartyKeyboardsAllowed: a.areThirdPartyKeyboardsAllowed && b.areThirdPartyKeyboardsAllowed,
            notifications: .stricter(a.notifications, b.notifications),
            clipboard: .stricter(a.clipboard, b.clipboard),
            isShareFiltered: a.isShareFiltered || b.isShareFiltered,
            takesUnknownFiles: a.takesUnknownFiles || b.takesUnknownFiles)
    }

    /// Returns the strictest of many rules; ``free`` for none.
    static func strictest(_ all: some Sequence<DecisionRules>) -> DecisionRules { all.reduce(.free, stricter) }
}
