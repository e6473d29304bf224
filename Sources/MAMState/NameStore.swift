import MAMProtection
import MAMSupport

/// Names of this app that no account row holds: retired names, which were an account's here, and names that the host
/// registered without enrolling them.
///
/// Retired names are kept as keyed hashes, because a wipe removes the names themselves. One sealed fact holds both lists.
public struct NameStore {
    let view: StateView
    private static let fact = "names"
    /// Most retired names of an app; the oldest is forgotten first.
    public static let mostRetired = 1000
    /// Most registered names of an app.
    public static let mostRegistered = 4096

    /// Both lists as they are now. `.tampered` where the row does not verify.
    public func load() throws(MAMError) -> AccountNames { AccountNames(try lists(), hash: hash) }

    /// Names that meant an account which has left: refused from now on, until ``restore(_:)``.
    public func retire(_ names: [String]) throws(MAMError) {
        guard !names.isEmpty else { return }
        let folded = Set(names.map { Identity.fold($0) })
        var hashes: [[UInt8]] = []
        for name in names {
            let hash = hash(Identity.fold(name))
            if !hashes.contains(hash) { hashes.append(hash) }
        }
        let latest = Set(hashes)
        try change { lists in
            lists.retired = (lists.retired.filter { !latest.contains($0) } + hashes).suffix(NameStore.mostRetired)
            lists.registered.removeAll { folded.contains(Identity.fold($0)) }
        }
    }

    /// The authority has answered for these names: they are not retired any more.
    public func restore(_ names: [String]) throws(MAMError) {
        let hashes = names.map { hash(Identity.fold($0)) }
        if let known = try? lists(), !hashes.contains(where: known.retired.contains) { return }
        try change { lists in lists.retired.removeAll(where: hashes.contains) }
    }

    /// Make a name known; false where there is no room.
    public func register(_ name: String) throws(MAMError) -> Bool {
        let folded = Identity.fold(name)
        var hasRoom = true
        try change { lists in
            guard !lists.registered.contains(where: { Identity.fold($0) == folded }) else { return }
            hasRoom = lists.registered.count < NameStore.mostRegistered
            if hasRoom { lists.registered.append(name) }
        }
        return hasRoom
    }

    /// Forget a registered name.
    public func forget(_ name: String) throws(MAMError) {
        let folded = Identity.fold(name)
        if let known = try? lists(), !known.registered.contains(where: { Identity.fold($0) == folded }) { return }
        try change { lists in lists.registered.removeAll { Identity.fold($0) == folded } }
    }

    /// The content of the fact.
    struct Lists {
        /// Keyed hashes, the latest last.
        var retired: [[UInt8]] = []
        /// As the host wrote them, in the order of registration.
        var registered: [String] = []
    }

    private func lists() throws(MAMError) -> Lists {
        guard let json = try view.facts.value(NameStore.fact) else { return Lists() }
        let retired = AccountTag.names(json["retired"]).compactMap { bytes(hexadecimal: $0) }
        return Lists(retired: retired, registered: AccountTag.names(json["registered"]))
    }

    /// A row that does not verify is replaced.
    private func change(_ body: (inout Lists) -> Void) throws(MAMError) {
        var lists = (try? lists()) ?? Lists()
        body(&lists)
        let retired = JSON.strings(lists.retired.map(hexadecimal))
        try view.facts.set(NameStore.fact, to: ["retired": retired, "registered": .strings(lists.registered)])
    }

    private var hash: @Sendable ([UInt8]) -> [UInt8] {
        let (key, app) = (view.state.labelKey, view.state.app)
        return { key.nameHash($0, app: app) }
    }
}

/// The lists of ``NameStore`` at one moment.
public struct AccountNames: Sendable {
    /// Names that the host registered without enrolling, as it wrote them.
    public let registered: [String]
    private let retired: Set<[UInt8]>
    private let known: Set<[UInt8]>
    private let hash: @Sendable ([UInt8]) -> [UInt8]

    init(_ lists: NameStore.Lists, hash: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        registered = lists.registered
        retired = Set(lists.retired)
        known = Set(lists.registered.map { Identity.fold($0) })
        self.hash = hash
    }

    /// Whether any name is retired.
    public var hasRetired: Bool { !retired.isEmpty }

    /// Whether a name was an account's in this app that has left.
    public func isRetired(_ folded: [UInt8]) -> Bool { !retired.isEmpty && retired.contains(hash(folded)) }

    /// Whether the host has registered a name without enrolling it.
    public func isRegistered(_ folded: [UInt8]) -> Bool { known.contains(folded) }
}
