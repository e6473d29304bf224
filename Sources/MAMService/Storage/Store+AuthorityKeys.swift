import MAMDirectory
import MAMMessages
import MAMProtection
import MAMSupport

/// The keys of the authority: those that sign replies, whose secret halves are stored, wrapped, and the recovery key. The latest
/// statement says which there are; before the first, they are those with which the service was made.
extension Store {
    /// Create the key that signs replies, whose secret half is stored, wrapped. Of the recovery key the public half is stored alone.
    func createAuthorityKeys(_ recovery: SecretBytes, wrappedBy key: StoreKey) throws(MAMError) {
        try addSigningKey(SecretBytes.random(count: 32), wrappedBy: key)
        try database.run(
            "INSERT INTO authority_keys (is_recovery, public) VALUES (1, ?)",
            .blob(try SigningKey(recovery).verifier.bytes))
    }

    /// Store a key that signs replies.
    func addSigningKey(_ secret: SecretBytes, wrappedBy key: StoreKey) throws(MAMError) {
        let verifier = try SigningKey(secret).verifier
        let wrapped = try key.wrapping.wrap(secret, kind: Store.kind(verifier), epoch: 1)
        try database.run(
            "INSERT INTO authority_keys (is_recovery, public, wrapped) VALUES (0, ?, ?)", .blob(verifier.bytes),
            .blob(wrapped))
    }

    /// The key that signs replies.
    func signingKey(_ key: StoreKey) throws(MAMError) -> SigningKey {
        let verifier = try authorityKeys().signing[0]
        let wrapped = try database.first(
            "SELECT wrapped FROM authority_keys WHERE public = ? AND wrapped IS NOT NULL", .blob(verifier.bytes)
        ) { $0.blob(0) }
        guard let wrapped else {
            throw MAMError(
                .keyUnavailable,
                "\(database.path): its authority key is not here: the database was put back from a copy; use mamd keys recover",
                [("path", .string(database.path))])
        }
        guard let secret = try? key.wrapping.unwrap(wrapped, kind: Store.kind(verifier), epoch: 1),
            let signing = try? SigningKey(secret), signing.verifier == verifier
        else {
            throw MAMError(
                .keyUnavailable,
                "\(database.path): its authority key cannot be unwrapped: the key file is another one's; put the right one back",
                [("path", .string(database.path))])
        }
        return signing
    }

    /// The keys that clients learn: the one in use first.
    func authorityKeys() throws(MAMError) -> AuthorityKeys {
        let keys: AuthorityKeys?
        if let latest = try keyStatements().last {
            keys = AuthorityKeys(json: (try? JSON(parsing: latest.payload, limit: 1 << 16))?["keys"])
        } else {
            keys = try firstAuthorityKeys()
        }
        guard let keys else {
            throw MAMError(
                .storage, "\(database.path): has no authority keys; put its newest copy back",
                [("path", .string(database.path))])
        }
        return keys
    }

    /// The keys with which the service was made.
    func firstAuthorityKeys() throws(MAMError) -> AuthorityKeys? {
        let found = try database.all("SELECT is_recovery, public FROM authority_keys ORDER BY row LIMIT 2") {
            (isRecovery: $0.bool(0), key: VerifyingKey(checking: $0.blob(1)))
        }
        return AuthorityKeys(
            signing: found.filter { !$0.isRecovery }.compactMap(\.key), recovery: found.first { $0.isRecovery }?.key)
    }

    /// All statements of new keys, in their order.
    func keyStatements() throws(MAMError) -> [AuthorityStatement] {
        try database.all("SELECT statement FROM key_statements ORDER BY number") { $0.text(0) ?? "" }
            .compactMap { text in (try? JSON(parsing: text, limit: 1 << 16)).flatMap(AuthorityStatement.init(json:)) }
    }

    /// The number of the latest statement; 0 for none.
    func statementNumber() throws(MAMError) -> Int64 { Int64(try keyStatements().count) }

    /// Store a statement.
    func add(_ statement: AuthorityStatement, number: Int64) throws(MAMError) {
        try database.run(
            "INSERT INTO key_statements (number, statement) VALUES (?, ?)", .integer(number), .text(statement.json.text)
        )
    }

    private static func kind(_ key: VerifyingKey) -> String { "authority key \(hexadecimal(key.bytes))" }
}
