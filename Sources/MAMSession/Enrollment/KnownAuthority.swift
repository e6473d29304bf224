import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// The authority that the apps of a group have come to know at a path. It outlives accounts and wipes.
enum KnownAuthority {
    private static func fact(_ path: String) -> String { "authority \(path)" }

    /// The one that counts: what the group noted, else that of an enrolled account.
    static func load(
        _ view: StateView, _ opened: OpenSettings, _ accounts: [Account]
    ) throws(MAMError) -> AuthorityIdentity? {
        let noted = try view.groupFacts.value(fact(opened.authorityPath)).flatMap(AuthorityIdentity.init(json:))
        return accounts.filter { $0.isEnrolled && !$0.isTest }
            .compactMap { AuthorityIdentity(json: $0.record.authority) }
            .reduce(noted) { known, other in
                guard let known else { return other }
                return known.id == other.id && known.number < other.number ? other : known
            }
    }

    /// Note the one that has answered.
    static func note(
        _ identity: AuthorityIdentity?, _ view: StateView, _ opened: OpenSettings
    ) throws(MAMError) {
        guard let identity else { return }
        let name = fact(opened.authorityPath)
        let noted = try view.groupFacts.value(name).flatMap(AuthorityIdentity.init(json:))
        guard noted != identity else { return }
        try view.groupFacts.set(name, to: identity.json)
    }

    /// The one at a path is no longer known.
    static func forget(_ view: StateView, _ opened: OpenSettings) throws(MAMError) {
        try view.groupFacts.remove(fact(opened.authorityPath))
    }

    /// Refuse a document that the account's authority has not signed.
    static func check(
        _ sent: SentDocument, _ kind: VerifiedDocuments.Kind, of record: AccountRecord, _ verified: VerifiedDocuments
    ) throws(MAMError) {
        guard let identity = AuthorityIdentity(json: record.authority) else {
            guard record.authority.isNull else { throw changed(kind) }
            return
        }
        guard verified.accepts(identity) else { throw isNotNamed }
        let isSigned = verified.contains(
            kind, id: sent.id, document: sent.document, signature: sent.signature, of: identity)
        guard isSigned else { throw changed(kind) }
    }

    static func changed(_ kind: VerifiedDocuments.Kind) -> MAMError {
        let table = kind == .policy ? "policies" : "configurations"
        return MAMError(
            .tampered,
            "what the state keeps of table \(table) is not what the authority signed: it was changed outside libmam; a check-in "
                + "brings it back", [("table", .string(table))])
    }

    private static let isNotNamed = MAMError(
        .tampered,
        "the account is enrolled with an authority none of whose keys is in authority.keys of the settings; correct the setting, or "
            + "give that authority up (mamctl authority forget) and enroll anew", [("setting", "authority.keys")])
}

extension Session {
    /// `mam_forget_authority`: the authority at the path is known no longer. Accounts that are enrolled with it are closed, with
    /// all that they have, until they are enrolled with it again.
    public func forgetAuthority() throws(MAMError) {
        _ = try current()
        guard !settings.isExtension else {
            throw MAMError(.denied, "an extension does not give up the authority of its app; the app does")
        }
        try state.publish { (view) throws(MAMError) in
            try KnownAuthority.forget(view, settings)
            for case .open(let row) in try view.accounts.all() where !row.record.authority.isNull && !row.record.isAside
            {
                try leave(view, row.id)
                try view.accounts.change(row) { record in
                    record.state = EnrollmentState.unenrolled.rawValue
                    record.isAside = true
                }
            }
        }
        try reload()
        log.write(.warning, "the authority at \(settings.authorityPath) was given up; its accounts are closed")
    }

    /// Whether an account may be what an enrollment continues: it belongs to no other authority.
    static func isOfAuthority(_ row: AccountRow, _ enrollment: Enrollment) -> Bool {
        row.record.authority.isNull
            || AuthorityIdentity(json: row.record.authority)?.id == enrollment.identity?.id
                && enrollment.identity != nil
    }
}
