import MAMState
import MAMSupport

/// The extensions of an app, as the app listed them when it was opened: a sealed value, bound to the app's id. An extension is another
/// program that works with the accounts, policy and keys of its containing app while that app lists it. The containing app alone
/// checks in, answers the questions of wipes, removes files, reads outcomes and sets overrides.
struct ExtensionList: Sendable, Equatable {
    /// Maximum number of extensions of an app.
    static let maximumCount = 64

    var ids: [String]
    /// The app's version; a policy's version rules apply to the app, not to its extension.
    var version: String?

    init(ids: [String] = [], version: String? = nil) { (self.ids, self.version) = (ids, version) }

    /// Read the list of the app in `view`; nil if it never had one.
    init?(_ view: StateView) throws(MAMError) {
        guard let json = try view.values.value(.extensions) else { return nil }
        self.init(ids: (json["ids"]?.array ?? []).compactMap(\.string), version: json["version"]?.string)
    }

    /// Store the list.
    func store(_ view: StateView) throws(MAMError) {
        try view.values.set(.extensions, to: ["ids": .strings(ids), "version": .optional(version)])
    }

    /// Refuse a session of an extension that its containing app does not list. Every load of the state checks this, so an extension
    /// that is no longer listed closes at the next load.
    static func check(_ settings: OpenSettings, _ view: StateView) throws(MAMError) {
        guard let containing = settings.containingApp else { return }
        guard try !(ExtensionList(view)?.ids.contains(settings.app.id) ?? false) else { return }
        throw MAMError(
            .denied,
            "\(settings.app.id) is not listed as an extension of \(containing); open \(containing) with app.extensions listing it, in the group \(settings.app.group) and the same stateDirectory",
            [("setting", "app.extensions"), ("app", .string(containing))])
    }

    /// Store the list given to `mam_open`; without one the former list stays. Open extensions see a change at once.
    static func storeGiven(_ settings: OpenSettings, _ state: State) throws(MAMError) {
        guard !settings.isExtension else { return }
        // A list that does not verify is replaced if one is given, and otherwise left alone: it lists no extension.
        let former = try state.read { (view, _) in try? ExtensionList(view) } ?? nil
        guard former != nil || settings.extensions?.isEmpty == false else { return }
        var list = former ?? ExtensionList()
        list.ids = settings.extensions ?? list.ids
        list.version = settings.app.version ?? list.version
        guard list != former else { return }
        try state.commitForAll { (view) throws(MAMError) in try list.store(view) }
    }

    /// The version that policies check: that of the containing app when it was last opened.
    static func judgedVersion(_ settings: OpenSettings, _ state: State) throws(MAMError) -> String? {
        guard settings.isExtension else { return settings.app.version }
        return try state.read { (view, _) throws(MAMError) in try ExtensionList(view)?.version }
    }
}
