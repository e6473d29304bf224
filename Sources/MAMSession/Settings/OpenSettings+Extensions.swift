import MAMAuthority
import MAMPolicy
import MAMSupport

/// The containing app and the extensions, from the settings of `mam_open`. An extension's data belongs to its containing app.
extension OpenSettings {
    /// The app that this program is an extension of; nil for an app of its own. Overrides do not apply, because the state is chosen
    /// by this.
    var containingApp: String? { settings.containingApp }
    var isExtension: Bool { containingApp != nil }

    /// The app whose accounts, policy, keys and files are used: for an extension, its containing app.
    var managedApp: String { containingApp ?? app.id }

    /// Refuse settings that an extension, or an app with extensions, cannot have.
    func checkExtension() throws(MAMError) {
        func wrong(_ setting: String, _ what: String) -> MAMError {
            MAMError(.argument, "\(setting) \(what)", [("setting", .string(setting))])
        }
        guard let containingApp else {
            let ids = extensions ?? []
            guard ids.count <= ExtensionList.maximumCount else {
                throw wrong(
                    "app.extensions", "lists \(ids.count) extensions; at most \(ExtensionList.maximumCount) may be")
            }
            for (place, id) in ids.enumerated() {
                try OpenSettings.checkName(id, "app.extensions[\(place)]")
                guard id != app.id else {
                    throw wrong("app.extensions", "lists \(id), which is the app itself; list only its extensions")
                }
            }
            return
        }
        guard containingApp != app.id else {
            throw wrong(
                SettingKey.containingAppBundleId,
                "is \(containingApp), which is this program itself; name the app that contains it, or leave it out")
        }
        guard extensions == nil else {
            throw wrong("app.extensions", "is for the containing app; leave it out of an extension's settings")
        }
        guard givenDevice == nil else {
            throw wrong("device", "is for the containing app, by whose facts its extensions go; leave it out here")
        }
    }
}

extension OpenSettings {
    /// Refuse to register names, unenroll or wipe in an extension. This is an error, not an operation that ends with 223, because
    /// success of such a call means that it took effect.
    func checkMayChangeAccounts() throws(MAMError) {
        guard let containing = containingApp else { return }
        throw MAMError(
            .denied,
            "\(app.id) is an extension, which neither registers names, unenrolls nor wipes; do it in \(containing)",
            [("app", .string(containing)), StatusCode.unsupportedAPI.originalCode.detail])
    }

    /// Refuse an override by an extension; those of its containing app apply.
    func checkOverridable(_ key: SettingKey) throws(MAMError) {
        guard let containing = containingApp else { return }
        throw MAMError(
            .denied,
            "key: \(app.id) is an extension and goes by the overrides of \(containing); set \(key.name) there",
            [("argument", "key"), ("setting", .string(key.name))])
    }

    /// Whether the test policy applies to an account of this name.
    func isOfTest(_ name: AccountName) -> Bool { testPolicy?.isOf(name.folded) ?? false }
}
