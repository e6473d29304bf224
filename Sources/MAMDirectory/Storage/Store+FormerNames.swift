import MAMSupport

/// UPNs that users had before they were renamed or removed. Apps that enrolled one keep its account, whoever has the name next.
extension Store {
    /// Record that an account had a UPN.
    func recordFormerName(_ upn: String, of accountId: String) throws(MAMError) {
        try database.run(
            "INSERT INTO former_names (name_key, account_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
            .blob(Identity.fold(upn)), .text(accountId))
    }

    /// Whether any user had another UPN before.
    func hasFormerNames() throws(MAMError) -> Bool {
        try database.first("SELECT 1 FROM former_names LIMIT 1") { _ in true } ?? false
    }

    /// The account ids that had a UPN before, with the present UPN of those that are users.
    private func formerAccounts(named name: Identity) throws(MAMError) -> [(id: String, upn: String?)] {
        let ids = try database.all(
            "SELECT account_id FROM former_names WHERE name_key = ? ORDER BY row", .blob(name.folded)
        ) { $0.text(0) ?? "" }
        return try ids.map { (id) throws(MAMError) in
            let upn = try database.first("SELECT upn FROM users WHERE account_key = ?", .blob(Identity.fold(id))) {
                $0.text(0) ?? ""
            }
            return (id, upn)
        }
    }

    /// The account that had a UPN before: one that is a user, or the last one.
    func formerAccount(named name: Identity) throws(MAMError) -> String? {
        let accounts = try formerAccounts(named: name)
        return (accounts.last { $0.upn != nil } ?? accounts.last)?.id
    }

    /// A note about an account that has the former UPN of others, whose apps a wipe of the name does not reach; nil where no other account
    /// had it.
    func noteOnFormerName(_ name: Identity, of accountKey: [UInt8]) throws(MAMError) -> String? {
        let others = try formerAccounts(named: name).filter { Identity.fold($0.id) != accountKey }
        guard !others.isEmpty else { return nil }
        var named = BoundedNames()
        for (id, upn) in others {
            named.add(upn.map { "\($0) (\(ForeignText.quoted(id)))" } ?? "the removed user \(ForeignText.quoted(id))")
        }
        let reaching =
            others.contains { $0.upn == nil }
            ? "; to wipe those of a removed user, remove this user, and add one with that account id" : ""
        return
            "\(name.text) was the UPN of \(named.names.joined(separator: ", ")) before: apps that enrolled it then keep that account, and "
            + "a wipe of \(name.text) does not reach them\(reaching)"
    }
}
