import MAMMessages
import MAMProtection

/// The key that signs replies, with the thumbprint by which clients know it.
struct ReplyKey: Sendable {
    let key: SigningKey
    let id: String

    init(_ key: SigningKey) { (self.key, id) = (key, key.verifier.kid) }
}
