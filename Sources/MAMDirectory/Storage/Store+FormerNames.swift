import MAMSupport

/// UPNs that users had before they were renamed or removed. Apps that enrolled one keep its account, whoever has the name next.
extension Store {
    /// Record that an account had a UPN; the last account that had it counts.
    func recordFormerName(_ upn: String, of accountId: String) throws(MAMError) {
        try database.run(
            "INSERT INTO former_names VALUES (?, ?) ON CONFLICT (name_key) DO UPDATE SET account_id = excluded.account_id",
            .blob(Identity.fold(upn)), .text(accountId))
    }

    /// The account id of the last user who had a UPN before.
    func formerAccount(named name: Identity) throws(MAMError) -> String? {
        try database.first("SELECT account_id FROM former_names WHERE name_key = ?", .blob(name.folded)) {
            $0.text(0) ?? ""
        }
    }

    /// A note about an account that has the former UPN of another one, whose apps a wipe of the name does not reach; nil where no other
    /// account had it.
    func noteOnFormerName(_ name: Identity, of accountKey: [UInt8]) throws(MAMError) -> String? {
        guard let id = try formerAccount(named: name), Identity.fold(id) != accountKey else { return nil }
        let upn = try database.first("SELECT upn FROM users WHERE account_key = ?", .blob(Identity.fold(id))) {
            $0.text(0) ?? ""
        }
        let other = upn.map { "\($0) (\(ForeignText.quoted(id)))" } ?? "the removed user \(ForeignText.quoted(id))"
        let reaching =
            upn == nil ? "; to wipe them, remove this user, and add one with that account id" : ""
        return
            "\(name.text) was the UPN of \(other) before: apps that enrolled it then keep that account, and a wipe of "
            + "\(name.text) does not reach them\(reaching)"
    }
}
