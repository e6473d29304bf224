import MAMDirectory
import MAMMessages
import MAMProtection
import MAMSupport

/// The authority keys of a service, for its administrator. A running service takes a new key from its next request on.
public struct ServiceKeys {
    private let files: OpenService
    private let tenant: String

    /// Open the files of a service, whether its authority key is usable or not.
    public init(_ file: ServiceFile) throws(MAMError) {
        files = try file.open()
        tenant = try files.store.tenantId()
    }

    /// The keys that there are: `{"number","keys":[{"use","kid","state"}]}`.
    public func list() throws(MAMError) -> JSON {
        let keys = try files.store.authorityKeys()
        let signing = keys.signing.enumerated().map { index, key -> JSON in
            ["use": "sign", "kid": .string(key.kid), "state": index == 0 ? "in use" : "former"]
        }
        let recovery = keys.recovery.map { key -> JSON in
            ["use": "recovery", "kid": .string(key.kid), "state": "in use"]
        }
        return [
            "number": .integer(try files.store.statementNumber()),
            "keys": .array(signing + [recovery].compactMap(\.self)),
        ]
    }

    /// All statements of new keys, as the discovery document carries them.
    public func statements() throws(MAMError) -> JSON { .array(try files.store.keyStatements().map(\.json)) }

    /// Sign replies with a new key. The former one still counts beside it, until the next change.
    public func rotate(recovery secret: SecretBytes) throws(MAMError) {
        let current = try files.store.signingKey(files.key)
        try change { (keys) throws(MAMError) in
            let recovery = try ServiceKeys.recovery(secret, of: keys)
            return Change(kept: [current.verifier], signers: [current, recovery], recovery: recovery.verifier)
        }
    }

    /// Sign replies with a new key, and end all others at once. `statements` are those that the database does not have because it was
    /// put back from a copy. `nextRecovery` is a recovery key, stored by the caller, that takes the place of the present one.
    public func recover(
        recovery secret: SecretBytes, statements: JSON?, nextRecovery: SecretBytes?
    ) throws(MAMError) {
        try change(after: statements) { (keys) throws(MAMError) in
            let recovery = try ServiceKeys.recovery(secret, of: keys)
            let verifier = try nextRecovery.map { (next) throws(MAMError) in try SigningKey(next).verifier }
            return Change(kept: [], signers: [recovery], recovery: verifier ?? recovery.verifier)
        }
    }

    private struct Change {
        /// The keys that sign beside the new one.
        let kept: [VerifyingKey]
        let signers: [SigningKey]
        let recovery: VerifyingKey
    }

    /// Make a key, and state it in one transaction.
    private func change(
        after statements: JSON? = nil, _ decide: (AuthorityKeys) throws(MAMError) -> Change
    ) throws(MAMError) {
        let store = files.store
        try store.database.transaction { () throws(MAMError) in
            if let statements { try adopt(statements) }
            let known = try store.authorityKeys()
            let number = try store.statementNumber() + 1
            let change = try decide(known)
            let secret = try SecretBytes.random(count: 32)
            guard
                let keys = AuthorityKeys(
                    signing: [try SigningKey(secret).verifier] + change.kept, recovery: change.recovery)
            else { throw MAMError(.crypto, "the keys do not differ") }
            let statement = try AuthorityStatement(number: number, tenant: tenant, keys: keys, signedBy: change.signers)
            // As a client judges it.
            guard statement.keys(number: number, tenant: tenant, replacing: known) == keys else {
                throw MAMError(.crypto, "the statement would not count")
            }
            try store.addSigningKey(secret, wrappedBy: files.key)
            try store.add(statement, number: number)
            try store.raiseAdministrativeSequence()
        }
    }

    /// Store the statements of a list that the database does not have. The list has to begin with those that it has.
    private func adopt(_ json: JSON) throws(MAMError) {
        let given = (json.array ?? []).compactMap(AuthorityStatement.init(json:))
        let known = try files.store.keyStatements()
        guard let first = try files.store.firstAuthorityKeys(), !given.isEmpty, given.count == json.array?.count,
            given.starts(with: known), first.after(given, from: 0, tenant: tenant).number == Int64(given.count)
        else {
            throw .argument(
                "statements",
                "has to be what mamd keys statement printed for this service, at the latest change of keys")
        }
        for (index, statement) in given.enumerated().dropFirst(known.count) {
            try files.store.add(statement, number: Int64(index) + 1)
        }
    }

    private static func recovery(_ secret: SecretBytes, of keys: AuthorityKeys) throws(MAMError) -> SigningKey {
        let key = try SigningKey(secret)
        guard key.verifier == keys.recovery else {
            throw .argument("recovery", "is the recovery key of another service, or one that was replaced")
        }
        return key
    }
}
