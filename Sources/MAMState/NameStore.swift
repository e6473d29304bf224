import MAMPolicy
import MAMProtection
import MAMSupport

/// Names of this app without an account row: retired names, which former accounts had, and names that the host registered without
/// enrolling.
///
/// Retired names are stored as keyed hashes, since a wipe removes the names themselves, each with how its account left. A single sealed
/// value has all lists.
public struct NameStore {
    let view: StateView
    /// The maximum number of retired names of an app; the oldest is dropped first.
    public static let maximumRetired = 1000
    /// The maximum number of domains of retired names; the oldest is dropped first.
    static let maximumDomains = 64
    /// The maximum number of traces of these domains.
    static let maximumTraces = 1024
    /// The maximum number of registered names of an app.
    public static let maximumRegistered = 4096

    /// Load both lists. Fails with `.tampered` where the row does not verify.
    public func load() throws(MAMError) -> AccountNames { AccountNames(try lists(), hash: hash) }

    /// Retire the names of a former account, or with nil of one that only has other names now. They are refused until ``restore(_:)``.
    /// Their domains, and those that the authority stated for the account, stay the organisation's.
    public func retire(
        _ names: [String], _ departure: AccountDeparture?, domains: [String] = []
    ) throws(MAMError) {
        guard !names.isEmpty else { return }
        let folded = Set(names.map { Identity.fold($0) })
        var hashes: [[UInt8]] = []
        for name in names {
            let hash = hash(Identity.fold(name))
            if !hashes.contains(hash) { hashes.append(hash) }
        }
        let latest = Set(hashes)
        let named = OrganizationDomains(of: names, stated: domains).suffixes
        let suffixes = named.map(hash)
        try change { lists in
            let unknown = zip(named, suffixes).filter { !hasTraces(of: $0, hash: $1, lists) }.map(\.0)
            let traces = unknown.flatMap { OrganizationDomains.lookalikeKeys(of: $0.dropFirst()) }.map {
                NameStore.trace($0, hash)
            }
            let others = lists.retired.filter { !latest.contains($0.hash) }
            lists.retired = (others + hashes.map { ($0, departure) }).suffix(NameStore.maximumRetired)
            lists.registered.removeAll { folded.contains(Identity.fold($0)) }
            lists.domains = (lists.domains.filter { !suffixes.contains($0) } + suffixes).suffix(
                NameStore.maximumDomains)
            lists.traces = (lists.traces.filter { !traces.contains($0) } + traces).suffix(NameStore.maximumTraces)
        }
    }

    /// Whether the traces of a domain are known to be there, which takes less than making them: where none was ever dropped, and the
    /// last kind is there, which former releases did not make.
    private func hasTraces(of suffix: [UInt8], hash ofSuffix: [UInt8], _ lists: Lists) -> Bool {
        guard lists.domains.contains(ofSuffix), lists.traces.count < NameStore.maximumTraces else { return false }
        return OrganizationDomains.stemKey(of: suffix.dropFirst()).map {
            lists.traces.contains(NameStore.trace($0, hash))
        }
            ?? true
    }

    /// Restore names for which the authority granted an enrollment.
    public func restore(_ names: [String]) throws(MAMError) {
        let hashes = names.map { hash(Identity.fold($0)) }
        if let known = try? lists(), !known.retired.contains(where: { hashes.contains($0.hash) }) { return }
        try change { lists in lists.retired.removeAll { hashes.contains($0.hash) } }
    }

    /// Register a name. Returns false where the limit is reached.
    public func register(_ name: String) throws(MAMError) -> Bool {
        let folded = Identity.fold(name)
        var hasRoom = true
        try change { lists in
            guard !lists.registered.contains(where: { Identity.fold($0) == folded }) else { return }
            hasRoom = lists.registered.count < NameStore.maximumRegistered
            if hasRoom { lists.registered.append(name) }
        }
        return hasRoom
    }

    /// Remove a registered name.
    public func forget(_ name: String) throws(MAMError) {
        let folded = Identity.fold(name)
        if let known = try? lists(), !known.registered.contains(where: { Identity.fold($0) == folded }) { return }
        try change { lists in lists.registered.removeAll { Identity.fold($0) == folded } }
    }

    /// The content of the value.
    struct Lists {
        /// Keyed hashes, the latest last, with the departures of their accounts.
        var retired: [(hash: [UInt8], departure: AccountDeparture?)] = []
        /// Keyed hashes of "@" and the domains of retired names, the latest last.
        var domains: [[UInt8]] = []
        /// Beginnings of keyed hashes of these domains' lookalike keys, by which a misspelt one is recognised.
        var traces: [[UInt8]] = []
        /// Names as the host spelled them, in the order of registration.
        var registered: [String] = []
    }

    private func lists() throws(MAMError) -> Lists {
        guard let json = try view.values.value(.names) else { return Lists() }
        let hashes = AccountTag.names(json["retired"]).compactMap { bytes(hexadecimal: $0) }
        var departures = AccountTag.names(json["departures"]).map { AccountDeparture(text: $0) }
        if departures.count != hashes.count { departures = hashes.map { _ in nil } }
        let retired = Array(zip(hashes, departures)).map { (hash: $0.0, departure: $0.1) }
        let domains = AccountTag.names(json["domains"]).compactMap { bytes(hexadecimal: $0) }
        // Former releases wrote an array of traces, which takes longer to read.
        let joined =
            bytes(hexadecimal: json["domainTraces"]?.string ?? AccountTag.names(json["domainTraces"]).joined()) ?? []
        let traces = stride(from: 0, to: joined.count, by: NameStore.traceLength).map {
            Array(joined[$0...].prefix(NameStore.traceLength))
        }
        return Lists(
            retired: retired, domains: domains, traces: traces, registered: AccountTag.names(json["registered"]))
    }

    /// The first eight bytes of the hash of a trace. There are many, and a wrong match does no more than ask for a registration.
    static func trace(_ trace: [UInt8], _ hash: ([UInt8]) -> [UInt8]) -> [UInt8] {
        Array(hash(trace).prefix(traceLength))
    }

    private static let traceLength = 8

    /// Change the lists. A row that does not verify is replaced.
    private func change(_ body: (inout Lists) -> Void) throws(MAMError) {
        var lists = (try? lists()) ?? Lists()
        body(&lists)
        try view.values.set(
            .names,
            to: [
                "retired": .strings(lists.retired.map { hexadecimal($0.hash) }),
                "departures": .strings(lists.retired.map { $0.departure?.text ?? "" }),
                "domains": .strings(lists.domains.map { hexadecimal($0) }),
                "domainTraces": .string(hexadecimal(Array(lists.traces.joined()))),
                "registered": .strings(lists.registered),
            ])
    }

    private var hash: @Sendable ([UInt8]) -> [UInt8] {
        let (key, app) = (view.state.labelKey, view.state.app)
        return { key.nameHash($0, app: app) }
    }
}

/// A copy of the lists in a ``NameStore``.
public struct AccountNames: Sendable {
    /// Names that the host registered without enrolling, as it spelled them.
    public let registered: [String]
    private let retired: [[UInt8]: AccountDeparture?]
    private let domains: Set<[UInt8]>
    private let traces: Set<[UInt8]>
    private let known: Set<[UInt8]>
    private let hash: @Sendable ([UInt8]) -> [UInt8]

    init(_ lists: NameStore.Lists, hash: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        registered = lists.registered
        retired = Dictionary(lists.retired.map { ($0.hash, $0.departure) }) { _, latest in latest }
        domains = Set(lists.domains)
        traces = Set(lists.traces)
        known = Set(lists.registered.map { Identity.fold($0) })
        self.hash = hash
    }

    /// Whether any name is retired.
    public var hasRetired: Bool { !retired.isEmpty || !domains.isEmpty }

    /// Whether a name is in the domain of an account that has left or below it, or looks as if it were meant to be.
    public func isInDomainOfRetired(_ folded: [UInt8]) -> Bool {
        guard !domains.isEmpty else { return false }
        return OrganizationDomains.isOfWindowsDomain(folded)
            || (OrganizationDomains.candidates(folded) + OrganizationDomains.beginnings(ofDomainIn: folded)).contains {
                domains.contains(hash([UInt8(ascii: "@")] + $0))
            }
            || OrganizationDomains.lookalikeKeys(ofDomainIn: folded).contains {
                traces.contains(NameStore.trace($0, hash))
            }
    }

    /// Whether a name is retired.
    public func isRetired(_ folded: [UInt8]) -> Bool { !retired.isEmpty && retired[hash(folded)] != nil }

    /// How the account of a retired name left; nil if no account with that name has.
    public func departure(_ folded: [UInt8]) -> AccountDeparture? {
        retired.isEmpty ? nil : retired[hash(folded)].flatMap(\.self)
    }

    /// Whether a name is registered without enrollment.
    public func isRegistered(_ folded: [UInt8]) -> Bool { known.contains(folded) }
}
