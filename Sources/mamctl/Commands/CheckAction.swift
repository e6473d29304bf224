import ArgumentParser

/// The actions of mam_policy_check.
enum CheckAction: String, ExpressibleByArgument, CaseIterable {
    case saveTo, openFrom, documentPicker, receive, clipboard, url, universalLink
    case notification, notificationOrgData
    case print, backup, screenCapture, contactSync, widgetContentSync, indexing, assistantIntents, appIntents
    case appSharing, thirdPartyKeyboards
    case pinRequired, managedBrowserRequired, fileEncryptionRequired, fileProviderEncrypt

    /// Whether the action takes a URL.
    var takesURL: Bool { self == .url || self == .universalLink }

    /// The valid locations; nil for an action without one.
    var locations: [String]? {
        switch self {
        case .saveTo: SaveLocation.allCases.map(\.rawValue)
        case .openFrom: OpenLocation.allCases.map(\.rawValue)
        default: nil
        }
    }
}

/// The locations that data is opened from.
private enum OpenLocation: String, CaseIterable {
    case other, oneDriveForBusiness, sharePoint, camera, localStorage, photos, accountDocument, box, iManage, egnyte
}

/// The modes of a document picker.
enum CheckMode: String, ExpressibleByArgument, CaseIterable {
    case `import`, open, export, move
}
