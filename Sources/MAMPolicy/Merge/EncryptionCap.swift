import MAMSupport

/// How much of `appDataEncryptionType` an app can live with: what a policy asks beyond that is lowered to it.
///
/// Mirrors MaxFileProtectionLevel; semantics.md 3. An app whose background work reads its files while the device is locked
/// could not work otherwise.
public struct EncryptionCap: Sendable, Hashable {
    /// The names of MaxFileProtectionLevel, from strict to loose.
    public static let names = [
        "NSFileProtectionComplete", "NSFileProtectionCompleteUnlessOpen",
        "NSFileProtectionCompleteUntilFirstUserAuthentication", "NSFileProtectionNone",
    ]

    /// Graph's names for the same.
    private static let levels = [
        "whenDeviceLocked", "whenDeviceLockedExceptOpenFiles", "afterDeviceRestart", "useDeviceSettings",
    ]

    /// Graph's name for the strictest level that is left.
    let level: String

    /// The cap of a name; nil for the strictest, which caps nothing, and for no known name.
    public init?(name: String) {
        switch name {
        case "NSFileProtectionCompleteUnlessOpen": level = "whenDeviceLockedExceptOpenFiles"
        case "NSFileProtectionCompleteUntilFirstUserAuthentication": level = "afterDeviceRestart"
        case "NSFileProtectionNone": level = "useDeviceSettings"
        default: return nil
        }
    }

    /// Lower what a policy asks for; which settings that changed.
    func apply(to settings: PolicySettings) -> (PolicySettings, capped: [PolicySetting]) {
        let (type, app) = (PolicySetting.encryptionType, PolicySetting.encryptAppData)
        var capped = settings
        if let stated = settings.value(of: type.name)?.string, rank(stated) > rank(level) {
            capped = capped.replacing(type, by: .string(level))
        }
        // Another platform's policy asks for encryption or for none: any level of it is some.
        if .string(level) == type.neutral, settings.restricts(by: app) {
            capped = capped.replacing(app, by: app.neutral)
        }
        return (capped, [type, app].filter { capped.value($0) != settings.value($0) })
    }

    private func rank(_ level: String) -> Int {
        EncryptionCap.levels.firstIndex(of: level).map { EncryptionCap.levels.count - $0 } ?? EncryptionCap.levels.count
    }
}
