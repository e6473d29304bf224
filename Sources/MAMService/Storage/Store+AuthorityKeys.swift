import MAMDirectory
import MAMProtection
import MAMSupport

extension Store {
    /// Create the key that signs replies and the recovery key. The secret half of the first is stored, wrapped; that of the second is
    /// returned and stored nowhere.
    func createAuthorityKeys(wrappedBy key: StoreKey) throws(MAMError) -> SecretBytes {
        let secret = try SecretBytes.random(count: 32)
        let recovery = try SecretBytes.random(count: 32)
        let signing = try SigningKey(secret).verifier
        let wrapped = try key.wrapping.wrap(secret, kind: Store.kind(signing), epoch: 1)
        try database.run(
            "INSERT INTO authority_keys (is_recovery, public, wrapped) VALUES (0, ?, ?)", .blob(signing.bytes),
            .blob(wrapped))
        try database.run(
            "INSERT INTO authority_keys (is_recovery, public) VALUES (1, ?)",
            .blob(try SigningKey(recovery).verifier.bytes))
        return recovery
    }

    /// The key that signs replies.
    func signingKey(_ key: StoreKey) throws(MAMError) -> SigningKey {
        let found = try database.first(
            "SELECT public, wrapped FROM authority_keys WHERE NOT is_recovery ORDER BY row DESC LIMIT 1"
        ) { (public: $0.blob(0), wrapped: $0.blob(1)) }
        guard let found, let verifier = VerifyingKey(checking: found.public),
            let secret = try? key.wrapping.unwrap(found.wrapped, kind: Store.kind(verifier), epoch: 1),
            let signing = try? SigningKey(secret), signing.verifier == verifier
        else {
            throw MAMError(
                .keyUnavailable,
                "\(database.path): its authority key cannot be unwrapped: the key file is another one's; put the right one back",
                [("path", .string(database.path))])
        }
        return signing
    }

    /// The public keys that clients learn: the one in use, then the recovery key.
    func publicKeys() throws(MAMError) -> [(isRecovery: Bool, key: VerifyingKey)] {
        try database.all("SELECT is_recovery, public FROM authority_keys ORDER BY is_recovery, row DESC") {
            (isRecovery: $0.bool(0), key: VerifyingKey(checking: $0.blob(1)))
        }.compactMap { found in found.key.map { (found.isRecovery, $0) } }
    }

    private static func kind(_ key: VerifyingKey) -> String { "authority key \(hexadecimal(key.bytes))" }
}
