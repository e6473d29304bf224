import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// An extension works with the accounts, policy and keys of its containing app, while that app lists it. What concerns the
/// enrollment stays with the containing app: check-ins, wipes' questions and files, outcomes and overrides.
extension Session {
    /// Refuse a session of an extension that its containing app does not list. Each load of the state asks: an extension that is
    /// taken off the list is closed by the next one.
    static func checkListed(_ settings: OpenSettings, _ view: StateView) throws(MAMError) {
        guard let containing = settings.containingApp else { return }
        guard try !(ExtensionList(view)?.ids.contains(settings.app.id) ?? false) else { return }
        throw MAMError(
            .denied,
            "\(settings.app.id) is not listed as an extension of \(containing); open \(containing) with app.extensions listing it, in the group \(settings.app.group) and the same stateDirectory",
            [("setting", "app.extensions"), ("app", .string(containing))])
    }

    /// Keep the list that `mam_open` was given. Without one the former list counts. Extensions that are open see a change at
    /// once.
    static func keepExtensions(_ settings: OpenSettings, _ state: State) throws(MAMError) {
        guard !settings.isExtension else { return }
        // A list that does not verify is replaced by one that is given, and otherwise left as it is: it lists nobody.
        let former = try state.read { (view, _) in try? ExtensionList(view) } ?? nil
        guard former != nil || settings.extensions?.isEmpty == false else { return }
        var list = former ?? ExtensionList()
        list.ids = settings.extensions ?? list.ids
        list.version = settings.app.version ?? list.version
        guard list != former else { return }
        try state.publish { (view) throws(MAMError) in try list.store(view) }
    }

    /// The extensions that this app lists now.
    func listedExtensions() throws(MAMError) -> [String] {
        try state.read { (view, _) throws(MAMError) in try ExtensionList(view)?.ids ?? [] }
    }

    /// The version that policies judge: that of the containing app, as it was opened last.
    func judgedVersion() throws(MAMError) -> String? {
        guard settings.isExtension else { return settings.app.version }
        return try state.read { (view, _) throws(MAMError) in try ExtensionList(view)?.version }
    }

    /// Refuse an override by an extension, which goes by those of its containing app.
    func checkOverridable(_ key: SettingKey) throws(MAMError) {
        guard let containing = settings.containingApp else { return }
        throw MAMError(
            .denied,
            "key: \(settings.app.id) is an extension and goes by the overrides of \(containing); set \(key.name) there",
            [("argument", "key"), ("setting", .string(key.name))])
    }

    /// Whether enrolling is left to another app: also where an override names one, which is too late to make this session one
    /// of an extension.
    func isExtension(_ snapshot: Snapshot) -> Bool {
        settings.isExtension || snapshot.settings.string(SettingKey.containingAppBundleId) != nil
    }

    /// Refuse to register names, unenroll or wipe in an extension. An error and no operation with 223: that such a call
    /// succeeds means that it has been done.
    func checkMayChangeAccounts() throws(MAMError) {
        guard let containing = settings.containingApp else { return }
        throw MAMError(
            .denied,
            "\(settings.app.id) is an extension, which neither registers names, unenrolls nor wipes; do it in \(containing)",
            [("app", .string(containing)), ("originalCode", .integer(Int64(StatusCode.unsupportedAPI.rawValue)))])
    }
}
