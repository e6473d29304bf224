import ArgumentParser

/// The actions of mam_policy_check.
enum CheckAction: String, ExpressibleByArgument, CaseIterable {
    case saveTo, openFrom, documentPicker, receive, clipboard, url, universalLink
    case notification, notificationOrgData
    case print, backup, screenCapture, contactSync, widgetContentSync, indexing, assistantIntents, appIntents
    case appSharing, thirdPartyKeyboards
    case pinRequired, managedBrowserRequired, fileEncryptionRequired, fileProviderEncrypt

    /// Whether it is asked about a URL.
    var takesURL: Bool { self == .url || self == .universalLink }

    /// Where data may go to or come from; nil for an action that has no location.
    var locations: [String]? {
        switch self {
        case .saveTo:
            [
                "other", "oneDriveForBusiness", "sharePoint", "box", "dropbox", "googleDrive", "localDrive",
                "cameraRoll", "accountDocument", "iManage", "egnyte",
            ]
        case .openFrom:
            [
                "other", "oneDriveForBusiness", "sharePoint", "camera", "localStorage", "photos",
                "accountDocument", "box", "iManage", "egnyte",
            ]
        default: nil
        }
    }
}

/// The modes of a document picker.
enum CheckMode: String, ExpressibleByArgument, CaseIterable {
    case `import`, open, export, move
}

/// A reply of mam_policy_check.
extension JSON {
    /// One or two words.
    var decision: String {
        if self["required"] != .null { return self["required"] == .bool(true) ? "required" : "not required" }
        return isObjection ? "refused" : "allowed"
    }

    /// Refused, or required. A reply that is neither is no permission.
    var isObjection: Bool { self["allowed"] != .bool(true) && self["required"] != .bool(false) }

    /// Which setting of which policy decided, and what that means.
    var reasonInWords: String {
        let reason = self["reason"]
        guard let message = reason["message"].string else { return "\(decision), and no reason was given" }
        guard let setting = reason["setting"].string, !message.contains(setting) else { return message }
        let policy = reason["policyName"].string ?? reason["policyId"].string
        let origin = policy.map { ", policy \($0)" } ?? ""
        return "\(message) (\(setting) = \(reason["value"].text)\(origin))"
    }
}
