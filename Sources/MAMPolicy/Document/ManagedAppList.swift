import MAMSupport

/// The `apps` of a policy: Microsoft Graph's `managedMobileApp` resources.
enum ManagedAppList {
    /// Returns the ids in the list; entries without one are ignored.
    static func ids(_ apps: JSON?) -> [String] { (apps?.array ?? []).compactMap(id) }

    /// Returns the id of an entry; nil if it has none.
    static func id(of app: JSON) -> String? {
        let identifier = app["mobileAppIdentifier"] ?? .null
        return ["bundleId", "packageId", "windowsAppId"].lazy.compactMap { identifier[$0]?.string }
            .first { !$0.isEmpty }
    }
}
