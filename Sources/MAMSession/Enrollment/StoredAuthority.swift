import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// The identity of the authority at a path, stored for the app group on first contact. It outlives accounts and wipes.
enum StoredAuthority {
    /// The stored identity, else that of an enrolled account; of two with the same id, the newer one.
    static func load(
        _ view: StateView, _ opened: OpenSettings, _ accounts: [Account]
    ) throws(MAMError) -> AuthorityIdentity? {
        let stored = try view.groupValues.value(.authority(path: opened.authority.place))
        let noted = stored.flatMap(AuthorityIdentity.init(json:))
        return accounts.filter { $0.isEnrolled && !$0.isTest }
            .compactMap { AuthorityIdentity(json: $0.record.authority) }
            .reduce(noted) { known, other in
                guard let known else { return other }
                return other.isNewer(than: known) ? other : known
            }
    }

    /// Store the identity of the authority that has answered.
    static func store(
        _ identity: AuthorityIdentity?, _ view: StateView, _ opened: OpenSettings
    ) throws(MAMError) {
        guard let identity else { return }
        let key = KeyValueStore.Key.authority(path: opened.authority.place)
        let noted = try view.groupValues.value(key).flatMap(AuthorityIdentity.init(json:))
        guard noted != identity || noted.map(identity.isNewer) ?? true else { return }
        try view.groupValues.set(key, to: identity.json)
    }

    /// Remove the stored identity, and for a service its keys and what else is kept about it.
    static func forget(_ view: StateView, _ opened: OpenSettings) throws(MAMError) {
        try view.groupValues.remove(.authority(path: opened.authority.place))
        if opened.authority.isService { try view.groupValues.remove(.service(url: opened.authority.place)) }
    }

    /// Refuse a document that the account's authority has not signed.
    static func check(
        _ sent: SignedDocument, _ kind: DocumentVerifier.Kind, of record: AccountRecord, _ verified: DocumentVerifier
    ) throws(MAMError) {
        guard let identity = AuthorityIdentity(json: record.authority) else {
            guard record.authority.isNull else { throw changed(kind) }
            return
        }
        guard verified.accepts(identity) else { throw notNamedError }
        // A service signs each reply as a whole; the state's seal keeps what came with it.
        guard !identity.isService else { return }
        let isSigned = verified.isSigned(
            kind, id: sent.id, document: sent.document, signature: sent.signature, of: identity)
        guard isSigned else { throw changed(kind) }
    }

    static func changed(_ kind: DocumentVerifier.Kind) -> MAMError {
        let table = kind == .policy ? "policies" : "configurations"
        return MAMError(
            .tampered,
            "what the state keeps of table \(table) is not what the authority signed: it was changed outside libmam; a check-in "
                + "brings it back", [("table", .string(table))])
    }

    private static let notNamedError = MAMError(
        .tampered,
        "the account is enrolled with an authority none of whose keys is in authority.keys of the settings; correct the setting, or "
            + "give that authority up (mamctl authority forget) and enroll again", [("setting", "authority.keys")])
}

extension Enrollment {
    /// Whether an enrollment may continue an account: the account belongs to the same authority or to none.
    func mayContinue(_ row: AccountRow) -> Bool {
        row.record.authority.isNull
            || AuthorityIdentity(json: row.record.authority)?.id == identity?.id && identity != nil
    }
}
