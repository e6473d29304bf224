import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport

/// The keys of a service as an app knows them: those of the settings, or of the first contact where these have none; or later ones
/// that statements have put in their place.
struct KnownKeys: Equatable, Sendable {
    /// The thumbprint by which the authority is known to the state. It stays when keys change.
    var id: String
    var keys: AuthorityKeys
    /// The number of the latest statement.
    var number: Int64

    init(id: String, keys: AuthorityKeys, number: Int64) { (self.id, self.keys, self.number) = (id, keys, number) }

    init(_ keys: AuthorityKeys, number: Int64) {
        self.init(id: (keys.recovery ?? keys.signing.first)?.kid ?? "", keys: keys, number: number)
    }

    /// Read the stored form; nil for none.
    init?(json: JSON?) {
        guard let json, let id = json["id"]?.string, let number = json["number"]?.integer, number >= 0,
            let keys = AuthorityKeys(json: json["keys"])
        else { return nil }
        self.init(id: id, keys: keys, number: number)
    }

    /// The stored form.
    var json: JSON { ["id": .string(id), "number": .integer(number), "keys": keys.json] }

    /// Whether both are keys of one authority.
    func isSame(as other: KnownKeys) -> Bool {
        id == other.id || keys.recovery != nil && keys.recovery == other.keys.recovery
    }

    /// The authority as the state keeps it, with the key that signs now.
    var identity: AuthorityIdentity? {
        keys.signing.first.map { AuthorityIdentity(ofService: id, key: $0, number: number + 1) }
    }
}

extension KnownKeys {
    /// Why a chain of statements does not lead to these keys: the service's folder was put back from an older copy, or copies of it
    /// were recovered one by one. Nil where it does, or where the holder of the recovery key did not make the chain.
    fileprivate func problem(of chain: [AuthorityStatement]) -> String? {
        let own = chain.first { $0.number == number }
        guard let recovery = keys.recovery, number > 0,
            Set(own?.keys?.signing ?? []).isDisjoint(with: keys.signing),
            chain.isEmpty || chain.contains(where: { $0.isSigned(by: recovery) })
        else { return nil }
        let known = "this app follows statement \(number) of keys"
        let remedy =
            "serve the copy that has it, or a copy from before it after mamd keys recover --statements with the statements of that copy"
        return own == nil
            ? "the service's copy is older than its keys: \(known), which the service does not have; \(remedy)"
            : "the service's keys were changed in another copy: \(known), and the service has another statement \(number); \(remedy)"
    }
}

extension ServiceAuthority {
    /// The keys of the settings.
    private var given: KnownKeys? { settings.keys.map { KnownKeys($0, number: settings.statement) } }

    /// The keys that count now; nil before the first contact where the settings have none.
    func known() throws(AuthorityFailure) -> KnownKeys? {
        let (remembered, expected) = memory.withLock { ($0.known, $0.expected) }
        if let remembered { return remembered }
        let given = given
        var known = given
        // Keys that were learnt belong to the authority that the state knows. Once that was given up, the settings count again.
        if let kept = try stored({ () throws(MAMError) in try store.record().known }),
            kept.id == expected?.id || given == nil && expected == nil
        {
            known = given.map { $0.number > kept.number && kept.isSame(as: $0) ? $0 : kept } ?? kept
            known?.id = kept.id
        }
        let found = known
        memory.withLock { $0.known = found }
        return found
    }

    /// Learn the keys of a document at the first contact, which they have signed: neither the settings nor the state know any. From
    /// now on they are kept, whatever becomes of the enrollment.
    func learn(_ first: KnownKeys) throws(AuthorityFailure) {
        var kept = first
        try stored { () throws(MAMError) in
            try store.change { record in
                // Another process may have been faster.
                kept = record.known ?? first
                record.known = kept
            }
        }
        guard kept.id == first.id else { throw isOther(first.id, than: kept.id) }
        let learnt = kept
        memory.withLock { $0.known = learnt }
    }

    /// Apply the statements of a document, whose signature is not judged yet: each proves itself.
    func apply(_ statements: JSON?, tenant: String) throws(AuthorityFailure) {
        guard let before = try known() else { return }
        let chain = (statements?.array ?? []).compactMap(AuthorityStatement.init(json:))
        memory.withLock { $0.keysProblem = before.problem(of: chain) }
        let (keys, number) = before.keys.after(chain, from: before.number, tenant: tenant)
        guard number > before.number else { return }
        try keep(KnownKeys(id: before.id, keys: keys, number: number))
    }

    /// Store keys before they are relied on.
    func keep(_ keys: KnownKeys) throws(AuthorityFailure) {
        try stored { () throws(MAMError) in
            try store.change { record in
                if record.known?.id == keys.id, let kept = record.known, kept.number > keys.number { return }
                record.known = keys
            }
        }
        memory.withLock { $0.known = keys }
    }

    /// Fail where the state knows another authority.
    func checkExpected() throws(AuthorityFailure) {
        guard let expected = memory.withLock({ $0.expected }) else { return }
        let known = try known()
        guard !expected.isService || known?.id != expected.id else { return }
        throw isOther(known?.id ?? "nothing is known about it", than: expected.id)
    }

    /// Fail where no statement leads from the keys that the state knows to those of the settings.
    func checkSettings() throws(AuthorityFailure) {
        guard let given, let known = try known(), !known.isSame(as: given) else { return }
        throw isOther(given.id, than: known.id)
    }

    private func isOther(_ other: String, than known: String) -> AuthorityFailure {
        AuthorityFailure(
            .parsingFailure,
            "it is another authority (\(other)) than the one that this app knows (\(known)); correct the settings, or give the "
                + "known one up with mamctl authority forget")
    }
}
