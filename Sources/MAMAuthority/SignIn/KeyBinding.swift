import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport

/// The key to which a provider binds the tokens of a sign-in (DPoP, RFC 9449), and what the provider wants in its proofs.
struct KeyBinding: Sendable {
    let key: RequestKey
    /// The latest that the provider has stated; nil for none.
    private(set) var nonce: String?

    init(_ key: RequestKey) { self.key = key }

    /// A new key where the provider binds tokens; nil where it does not.
    static func made(for metadata: ProviderMetadata) throws(AuthorityFailure) -> KeyBinding? {
        guard metadata.isBinding else { return nil }
        do throws(MAMError) { return KeyBinding(try RequestKey()) } catch {
            throw AuthorityFailure(.internalError, error.message)
        }
    }

    /// The thumbprint of the key.
    var thumbprint: String { JSONWebKey.thumbprint(p256: key.publicKey) }

    /// The proof for a request.
    func field(_ request: TransportRequest, at time: Instant) throws(AuthorityFailure) -> MessageField {
        do throws(MAMError) {
            return (
                "dpop",
                try KeyProof.text(method: request.method, url: request.url, at: time, nonce: nonce, by: key)
            )
        } catch { throw AuthorityFailure(.internalError, error.message) }
    }

    /// Take the nonce of a reply; false where it has none that could be used.
    mutating func take(_ reply: TransportReply) -> Bool {
        guard let stated = WantedNonce.stated(in: reply.fields) else { return false }
        nonce = stated
        return true
    }
}
