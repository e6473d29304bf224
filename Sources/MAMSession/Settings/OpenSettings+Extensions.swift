import MAMSupport

/// The containing app and the extensions, from the settings of `mam_open`. An extension's data belongs to its containing app.
extension OpenSettings {
    /// The app that this program is an extension of; nil where it is an app of its own. As it was given: the state is chosen by
    /// it, so an override would come too late.
    var containingApp: String? { settings.containingApp }
    var isExtension: Bool { containingApp != nil }

    /// The app whose accounts, policy and keys count, and whose files are: of an extension its containing app.
    var managedApp: String { containingApp ?? app.id }

    /// Refuse what an extension, or an app with extensions, cannot say.
    func checkExtension() throws(MAMError) {
        func wrong(_ setting: String, _ what: String) -> MAMError {
            MAMError(.argument, "\(setting) \(what)", [("setting", .string(setting))])
        }
        guard let containingApp else {
            let ids = extensions ?? []
            guard ids.count <= ExtensionList.most else {
                throw wrong("app.extensions", "lists \(ids.count) extensions; at most \(ExtensionList.most) may be")
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
