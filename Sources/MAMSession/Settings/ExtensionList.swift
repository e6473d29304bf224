import MAMState
import MAMSupport

/// The extensions of an app, as the app listed them when it was opened: a sealed fact, bound to the app's id. An extension is
/// another program that works with the app's accounts, policy and keys.
struct ExtensionList: Sendable, Equatable {
    /// Most extensions that an app lists.
    static let most = 64

    private static let fact = "extensions"

    var ids: [String]
    /// The app's version: the versions of a policy judge the app, not its extension.
    var version: String?

    init(ids: [String] = [], version: String? = nil) { (self.ids, self.version) = (ids, version) }

    /// Read what the app in `view` listed; nil where it never listed any.
    init?(_ view: StateView) throws(MAMError) {
        guard let json = try view.facts.value(ExtensionList.fact) else { return nil }
        self.init(ids: (json["ids"]?.array ?? []).compactMap(\.string), version: json["version"]?.string)
    }

    /// Keep the list.
    func store(_ view: StateView) throws(MAMError) {
        try view.facts.set(ExtensionList.fact, to: ["ids": .strings(ids), "version": .optional(version)])
    }
}
