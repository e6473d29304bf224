import MAMSupport

/// A user of the authority.
package struct User {
    package let row: Int64
    package let accountId: String
    package let upn: String
    package let tenantId: String
    package let isEnabled: Bool
    let isLicensed: Bool
    let isMigrating: Bool
    /// The salted hash of the user's access token; nil where none is required.
    let tokenHash: [UInt8]?

    /// The account id, folded for comparison.
    package var accountKey: [UInt8] { Identity.fold(accountId) }
}

extension Store {
    private static let columns = "row, account_id, upn, tenant, enabled, licensed, migrating, token_hash"

    /// A user by account id.
    package func user(accountId: Identity) throws(MAMError) -> User? { try user("account_key = ?", accountId) }

    /// A user by UPN.
    package func user(upn: Identity) throws(MAMError) -> User? { try user("upn_key = ?", upn) }

    /// A user by account id or UPN.
    package func user(named name: Identity) throws(MAMError) -> User? {
        try user("account_key = ?1 OR upn_key = ?1", name)
    }

    private func user(_ condition: String, _ name: Identity) throws(MAMError) -> User? {
        let user = try database.first("SELECT \(Store.columns) FROM users WHERE \(condition)", .blob(name.folded)) {
            row in
            User(
                row: row.integer(0), accountId: row.text(1) ?? "", upn: row.text(2) ?? "", tenantId: row.text(3) ?? "",
                isEnabled: row.bool(4), isLicensed: row.bool(5), isMigrating: row.bool(6),
                tokenHash: row.isNull(7) ? nil : row.blob(7))
        }
        // Where no user is found, verify the whole table: a row may have been deleted.
        if let user { try signed?.rows.check(.users, user.row, self) } else { try signed?.rows.check(.users, self) }
        return user
    }
}
