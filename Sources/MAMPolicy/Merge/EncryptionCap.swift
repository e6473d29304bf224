import MAMSupport

/// The maximum `appDataEncryptionType` for an app: stricter values of policies are lowered to it.
///
/// Mirrors MaxFileProtectionLevel; docs/settings.md. An app that reads its files in the background while the device is locked
/// could not work otherwise.
public struct EncryptionCap: Sendable, Hashable {
    /// The names of MaxFileProtectionLevel, from strict to loose.
    public static let names = [
        "NSFileProtectionComplete", "NSFileProtectionCompleteUnlessOpen",
        "NSFileProtectionCompleteUntilFirstUserAuthentication", "NSFileProtectionNone",
    ]

    /// The Microsoft Graph names of the same levels.
    private static let levels = [
        "whenDeviceLocked", "whenDeviceLockedExceptOpenFiles", "afterDeviceRestart", "useDeviceSettings",
    ]

    /// The Microsoft Graph name of the strictest level that remains.
    let level: String

    /// Parses a name; nil for the strictest level, which caps nothing, and for an unknown name.
    public init?(name: String) {
        switch name {
        case "NSFileProtectionCompleteUnlessOpen": level = "whenDeviceLockedExceptOpenFiles"
        case "NSFileProtectionCompleteUntilFirstUserAuthentication": level = "afterDeviceRestart"
        case "NSFileProtectionNone": level = "useDeviceSettings"
        default: return nil
        }
    }

    /// Returns the lowered settings, and which ones have changed.
    func apply(to settings: PolicySettings) -> (PolicySettings, capped: [PolicySetting]) {
        let (type, app) = (PolicySetting.encryptionType, PolicySetting.encryptAppData)
        var capped = settings
        if let stated = settings.value(of: type.name)?.string, rank(stated) > rank(level) {
            capped = capped.replacing(type, by: .string(level))
        }
        // Other platforms' policies only switch encryption on: every level is encryption.
        if .string(level) == type.neutral, settings.restricts(by: app) {
            capped = capped.replacing(app, by: app.neutral)
        }
        return (capped, [type, app].filter { capped.value($0) != settings.value($0) })
    }

    private func rank(_ level: String) -> Int {
        EncryptionCap.levels.firstIndex(of: level).map { EncryptionCap.levels.count - $0 } ?? EncryptionCap.levels.count
    }
}
