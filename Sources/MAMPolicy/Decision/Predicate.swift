import MAMSupport

/// A yes-or-no question about one account's policy; the order is that of mam.h.
public enum Predicate: Int, CaseIterable, Sendable {
    case pinRequired = 0
    case managedBrowserRequired, contactSync, widgetContentSync, indexing, assistantIntents, appIntents, appSharing
    case fileEncryptionRequired, fileProviderEncrypt, screenCapture, print, backup, thirdPartyKeyboards
    case pickerImport, pickerOpen, pickerExport, pickerMove
    /// Showing notifications, and showing the organisation's data in them.
    case notification, notificationOrgData

    /// The action name in `mam_policy_check`; all picker modes share one.
    public var action: String {
        switch self {
        case .pinRequired: "pinRequired"
        case .managedBrowserRequired: "managedBrowserRequired"
        case .contactSync: "contactSync"
        case .widgetContentSync: "widgetContentSync"
        case .indexing: "indexing"
        case .assistantIntents: "assistantIntents"
        case .appIntents: "appIntents"
        case .appSharing: "appSharing"
        case .fileEncryptionRequired: "fileEncryptionRequired"
        case .fileProviderEncrypt: "fileProviderEncrypt"
        case .screenCapture: "screenCapture"
        case .print: "print"
        case .backup: "backup"
        case .thirdPartyKeyboards: "thirdPartyKeyboards"
        case .pickerImport, .pickerOpen, .pickerExport, .pickerMove: "documentPicker"
        case .notification: "notification"
        case .notificationOrgData: "notificationOrgData"
        }
    }

    /// The mode that a picker predicate decides.
    public var mode: PickerMode? { PickerMode.allCases.first { $0.predicate == self } }

    /// Whether the reply is `"required"` instead of `"allowed"`.
    public var isRequirement: Bool {
        switch self {
        case .pinRequired, .managedBrowserRequired, .fileEncryptionRequired, .fileProviderEncrypt: true
        default: false
        }
    }

    /// The answer while nothing can be trusted; mam.h "Closed".
    public var closedValue: Bool { isRequirement }
}

extension Predicate {
    /// The settings that can matter, the most direct first; docs/properties.md "Enforced".
    var settings: [PolicySetting] {
        switch self {
        case .pinRequired: [.pinRequired]
        case .managedBrowserRequired: [.managedBrowserRequired]
        case .contactSync: [.contactSyncBlocked]
        case .widgetContentSync: [.widgetContentSync, .outbound]
        case .indexing, .assistantIntents, .appIntents, .appSharing: [.outbound]
        case .fileEncryptionRequired: [.encryptionType, .encryptAppData]
        case .fileProviderEncrypt: [.encryptionType, .encryptAppData, .outbound]
        case .screenCapture: [.screenCaptureState, .screenCaptureBlocked]
        case .print: [.printBlocked]
        case .backup: [.backupBlocked]
        case .thirdPartyKeyboards: [.keyboardsBlocked, .keyboardsRestricted]
        case .pickerImport, .pickerOpen: [.ingestionBlocked, .inbound]
        case .pickerExport, .pickerMove: [.saveAsBlocked, .outbound]
        case .notification, .notificationOrgData: [.notifications]
        }
    }

    /// The refusal or requirement in words.
    var refusedAction: RefusedAction { RefusedAction(refusalWords, MessageKey(self)) }

    private var refusalWords: String {
        switch self {
        case .pinRequired: "A PIN is required"
        case .managedBrowserRequired: "A managed browser is required"
        case .contactSync: "Handing contacts to the system is refused"
        case .widgetContentSync: "Showing data in widgets is refused"
        case .indexing: "Entering data into the search index is refused"
        case .assistantIntents: "Handing data to an assistant is refused"
        case .appIntents: "Handing data to automation is refused"
        case .appSharing: "Sharing with other programs is refused"
        case .fileEncryptionRequired: "Encryption of files is required"
        case .fileProviderEncrypt: "Encryption of files for other programs is required"
        case .screenCapture: "Capturing the screen is refused"
        case .print: "Printing is refused"
        case .backup: "Backup is refused"
        case .thirdPartyKeyboards: "The use of other makers' keyboards is refused"
        case .pickerImport: "Importing documents is refused"
        case .pickerOpen: "Opening documents is refused"
        case .pickerExport: "Exporting documents is refused"
        case .pickerMove: "Moving documents is refused"
        case .notification: "Showing notifications is refused"
        case .notificationOrgData: "Showing the organisation's data in notifications is refused"
        }
    }
}
