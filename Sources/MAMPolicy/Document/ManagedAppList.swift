import MAMSupport

/// The `apps` of a policy: Graph's `managedMobileApp` resources.
enum ManagedAppList {
    /// The ids in it; what has none is left out.
    static func ids(_ apps: JSON?) -> [String] { (apps?.array ?? []).compactMap(id) }

    /// The id of one entry; nil where it has none.
    static func id(of app: JSON) -> String? {
        let identifier = app["mobileAppIdentifier"] ?? .null
        return ["bundleId", "packageId", "windowsAppId"].lazy.compactMap { identifier[$0]?.string }
            .first { !$0.isEmpty }
    }
}
