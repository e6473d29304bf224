import MAMProtection
import MAMSupport

/// Verifies what a state keeps of an authority: documents of accounts, and the authority's key.
public struct VerifiedDocuments: Sendable {
    private let pinned: [VerifyingKey]

    /// `keys`: one of them has to be among the authority's, where there are any.
    public init(keys: [VerifyingKey]) { pinned = keys }

    /// Whether a document is what the authority signed. Of an unknown kind of table it is not.
    public func contains(
        _ kind: Kind, id: String, document: JSON, signature: String?, of identity: AuthorityIdentity
    ) -> Bool {
        guard let bytes = signature.flatMap({ try? Array($0.utf8).withUnsafeBytes { try Base64.decode($0) } }) else {
            return false
        }
        let message = Store.documentMessage(kind.table, id: id, text: document.text, identity.id)
        return VerifiedSignatures.shared.contains(bytes, of: message, by: identity.key)
    }

    /// Whether the authority of an account is one whose keys the host's settings name, or they name none.
    public func accepts(_ identity: AuthorityIdentity) -> Bool {
        guard !pinned.isEmpty, !pinned.contains(identity.key) else { return true }
        var keys: [VerifyingKey] = []
        for (index, statement) in identity.statements.enumerated() {
            guard let key = statement.key(Int64(index) + 1, of: identity.id),
                VerifiedSignatures.shared.contains(
                    statement.signature, of: Statement.message(statement.payload), by: keys.last ?? key)
            else { return false }
            keys.append(key)
        }
        return keys.last == identity.key && pinned.contains(where: keys.contains)
    }

    /// What a document is.
    public enum Kind: Sendable {
        case policy, configuration

        var table: SignedTable { self == .policy ? .policies : .configurations }
    }
}

/// A signature as the state keeps it; nil for none.
public func signatureText(_ bytes: [UInt8]) -> String? {
    guard !bytes.isEmpty, let text = bytes.withUnsafeBytes({ Base64.encode($0) }) else { return nil }
    return String(decoding: text, as: UTF8.self)
}
