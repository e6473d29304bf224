import MAMProtection
import MAMSupport

/// Verifies documents and identities that the state stores.
public struct DocumentVerifier: Sendable {
    private let pinned: [VerifyingKey]

    /// Where `keys` is not empty, the authority must have one of them.
    public init(keys: [VerifyingKey]) { pinned = keys }

    /// Whether the authority signed a document.
    public func isSigned(
        _ kind: Kind, id: String, document: JSON, signature: String?, of identity: AuthorityIdentity
    ) -> Bool {
        guard let bytes = signature.flatMap({ try? Array($0.utf8).withUnsafeBytes { try Base64.decode($0) } }) else {
            return false
        }
        let message = Store.documentMessage(kind.table, id: id, text: document.text, identity.id)
        return SignatureCache.shared.verifies(bytes, of: message, by: identity.key)
    }

    /// Whether the settings pin no key, or one of the authority's.
    public func accepts(_ identity: AuthorityIdentity) -> Bool {
        guard !pinned.isEmpty, !pinned.contains(identity.key) else { return true }
        var keys: [VerifyingKey] = []
        for (index, statement) in identity.statements.enumerated() {
            guard let key = statement.key(Int64(index) + 1, of: identity.id),
                SignatureCache.shared.verifies(
                    statement.signature, of: KeyStatement.message(statement.payload), by: keys.last ?? key)
            else { return false }
            keys.append(key)
        }
        return keys.last == identity.key && pinned.contains(where: keys.contains)
    }

    /// The kind of a document.
    public enum Kind: Sendable {
        case policy, configuration

        var table: SignedTable { self == .policy ? .policies : .configurations }
    }
}

/// The text form of a signature, as the state stores it; nil for none.
public func signatureText(_ bytes: [UInt8]) -> String? {
    guard !bytes.isEmpty, let text = bytes.withUnsafeBytes({ Base64.encode($0) }) else { return nil }
    return String(decoding: text, as: UTF8.self)
}
