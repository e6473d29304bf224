import MAMSupport

/// Sealed values of an app or of the whole group, by key.
public struct KeyValueStore {
    let view: StateView
    /// The app; empty for the group.
    let owner: String

    /// The keys. Each app has values of its own, and the group has values that all of its apps share.
    public enum Key: Sendable {
        /// The app's entry among the managed apps.
        case managedApp
        /// The apps for which the authority has policies of an account.
        case managedApps(AccountRowID)
        /// Retired and registered names.
        case names
        /// Unenrollments to be reported.
        case unenrollments
        /// When refresh tokens are revoked next.
        case revocations
        /// The number of database pages that were sealed for an account.
        case sealedPages(AccountRowID)
        /// The identity of the authority at a path.
        case authority(path: String)
        /// The record of the service at a URL.
        case service(url: String)
        /// The accounts for which the device is managed.
        case device
        /// The host's statement about the device.
        case statedDevice
        /// The device health that an app reported.
        case deviceHealthReport
        /// The state of the screen that an app reported.
        case screen
        /// Records of PINs and credentials that people have entered.
        case access
        /// The extensions of the app.
        case extensions
        /// Keys of app configurations whose values stay out of logs.
        case scrubbedKeys

        var name: String {
            switch self {
            case .managedApp: "managedApp"
            case .managedApps(let account): "managedApps/\(account.hex)"
            case .names: "names"
            case .unenrollments: "unenrollments"
            case .revocations: "revocations"
            case .sealedPages(let account): "sealedPages/\(account.hex)"
            case .authority(let path): "authority \(path)"
            case .service(let url): "service \(url)"
            case .device: "device"
            case .statedDevice: "statedDevice"
            case .deviceHealthReport: "deviceHealthReport"
            case .screen: "screen"
            case .access: "access"
            case .extensions: "extensions"
            case .scrubbedKeys: "scrubbedKeys"
            }
        }
    }

    /// The value of a key; nil where it was never set.
    public func value(_ key: Key) throws(MAMError) -> JSON? {
        let sealed = try view.database.first(
            "SELECT value FROM facts WHERE app = ? AND name = ?", .text(owner), .text(key.name)
        ) { $0.blob(0) }
        guard let sealed else { return nil }
        return try KeyValueStore.open(sealed, of: owner, key, view)
    }

    /// Open a row, which is bound to its owner and key.
    static func open(_ sealed: [UInt8], of owner: String, _ key: Key, _ view: StateView) throws(MAMError) -> JSON {
        try view.seal("facts").open(sealed, id: id(owner, key), column: "value")
    }

    /// Delete a value.
    public func remove(_ key: Key) throws(MAMError) {
        try view.database.run("DELETE FROM facts WHERE app = ? AND name = ?", .text(owner), .text(key.name))
    }

    /// Store a value.
    public func set(_ key: Key, to value: JSON) throws(MAMError) {
        let sealed = try view.seal("facts").seal(value, id: KeyValueStore.id(owner, key), column: "value")
        try view.database.run(
            "INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", .text(owner), .text(key.name), .blob(sealed))
    }

    private static func id(_ owner: String, _ key: Key) -> [UInt8] { Array(owner.utf8) + [0] + Array(key.name.utf8) }
}
