import MAMDirectory
import MAMSupport

/// Actions of administrators on who signs in as whom.
extension Service {
    /// `identity.bind` {"user","subject"}, `identity.unbind` {"user"}, `identity.revoke` {"user"}, `identity.list` and `signIn.refusals`; nil for another action.
    func administerSignIn(_ request: JSON, _ now: Instant) throws(MAMError) -> JSON? {
        let keys: [String]
        let action = request["action"]?.string ?? ""
        switch action {
        case "identity.bind": keys = ["user", "subject"]
        case "identity.unbind", "identity.revoke": keys = ["user"]
        case "identity.list", "signIn.refusals": keys = []
        default: return nil
        }
        let names = (request.object ?? []).map(\.key).filter { $0 != "action" }
        if let other = names.first(where: { !keys.contains($0) }) {
            throw .argument(other, "\(action) takes \(keys.isEmpty ? "nothing" : keys.joined(separator: " and "))")
        }
        for key in keys {
            guard let text = request[key]?.string, (1...255).contains(text.utf8.count) else {
                throw .argument(key, "has to be a text of at most 255 bytes")
            }
        }
        guard let issuer = signIn?.issuer else {
            throw MAMError(.unsupported, "\(action): this service has no provider; set signIn in mamd.json first")
        }
        return try files.store.database.transaction { () throws(MAMError) in
            switch action {
            case "identity.list": try identities(issuer)
            case "signIn.refusals": try refusals(issuer)
            case "identity.revoke": try revoke(request["user"]?.string ?? "", issuer, now)
            default: try rebind(request["user"]?.string ?? "", to: request["subject"]?.string, issuer, now)
            }
        }
    }

    /// Take the account from its person, and give it to another one, who has then no other.
    private func rebind(_ name: String, to subject: String?, _ issuer: String, _ now: Instant) throws(MAMError) -> JSON
    {
        let store = files.store
        let user = try user(name)
        try store.unbind(issuer: issuer, accountKey: user.accountKey)
        if let subject {
            if let other = try store.boundAccount(issuer: issuer, subject: subject) {
                try store.unbind(issuer: issuer, accountKey: other)
            }
            try store.bind(issuer: issuer, subject: subject, accountKey: user.accountKey, now: now)
        }
        try store.raiseAdministrativeSequence()
        return Service.reply(user, issuer, subject)
    }

    /// Ask the person of an account to sign in again, in each app.
    private func revoke(_ name: String, _ issuer: String, _ now: Instant) throws(MAMError) -> JSON {
        let user = try user(name)
        try files.store.revoke(user.accountKey, now: now)
        try files.store.raiseAdministrativeSequence()
        return Service.reply(user, issuer, try files.store.boundSubject(issuer: issuer, accountKey: user.accountKey))
    }

    /// The account and its person after a change.
    private static func reply(_ user: User, _ issuer: String, _ subject: String?) -> JSON {
        [
            "accountId": .string(user.accountId), "upn": .string(user.upn), "issuer": .string(issuer),
            "subject": .optional(subject),
        ]
    }

    private func identities(_ issuer: String) throws(MAMError) -> JSON {
        let rows = try files.store.database.all(
            """
            SELECT u.account_id, u.upn, i.subject, i.bound FROM identities i LEFT JOIN users u USING (account_key)
            WHERE i.issuer = ? ORDER BY i.bound, i.subject
            """, .text(issuer)
        ) { row -> JSON in
            [
                "accountId": .optional(row.text(0)), "upn": .optional(row.text(1)), "subject": .optional(row.text(2)),
                "bound": .string(Instant(milliseconds: row.integer(3)).rfc3339),
            ]
        }
        return ["issuer": .string(issuer), "identities": .array(rows)]
    }

    private func refusals(_ issuer: String) throws(MAMError) -> JSON {
        let rows = try files.store.database.all(
            """
            SELECT reason, subject, count, first, latest FROM sign_in_refusals WHERE issuer = ?
            ORDER BY latest DESC, reason, subject
            """, .text(issuer)
        ) { row -> JSON in
            [
                "reason": .optional(row.text(0)), "subject": .optional(row.text(1).flatMap { $0.isEmpty ? nil : $0 }),
                "count": .integer(row.integer(2)), "first": .string(Instant(milliseconds: row.integer(3)).rfc3339),
                "latest": .string(Instant(milliseconds: row.integer(4)).rfc3339),
            ]
        }
        return ["issuer": .string(issuer), "refusals": .array(rows)]
    }
}
