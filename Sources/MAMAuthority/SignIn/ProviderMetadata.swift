import MAMMessages
import MAMPolicy
import MAMSupport

/// The metadata of a provider (OpenID Connect Discovery 1.0, RFC 8414), as far as it is used.
struct ProviderMetadata: Sendable {
    /// Where grants are exchanged for tokens.
    let token: String
    /// Where a device authorization begins; nil where the provider has none.
    let device: String?
    /// Where a browser goes to sign in; nil where the provider has none, or knows no PKCE with SHA-256.
    let authorization: String?
    /// Where refresh tokens are revoked (RFC 7009); nil where the provider has no such place.
    let revocation: String?
    /// Whether the provider binds tokens to a key (DPoP).
    let isBinding: Bool

    /// Read the metadata of an issuer. It has to name the same issuer, and all of its URLs have to be https.
    init(_ json: JSON, issuer: String) throws(AuthorityFailure) {
        guard let named = json["issuer"]?.string, named.utf8.elementsEqual(issuer.utf8) else {
            throw .provider("its metadata is another issuer's")
        }
        for (name, value) in json.object ?? [] where name.hasSuffix("_endpoint") || name == "jwks_uri" {
            guard let url = value.string, SecureURL.isValid(url) else {
                throw .provider("an address in its metadata is no https URL")
            }
        }
        guard let token = json["token_endpoint"]?.string else {
            throw .provider("its metadata names no token endpoint")
        }
        self.token = token
        device = json["device_authorization_endpoint"]?.string
        revocation = json["revocation_endpoint"]?.string
        isBinding =
            json["dpop_signing_alg_values_supported"]?.array?.contains(.string(KeyProof.algorithm)) ?? false
        let challenges = json["code_challenge_methods_supported"]?.array
        authorization =
            challenges?.contains("S256") ?? false ? json["authorization_endpoint"]?.string : nil
    }
}

extension AuthorityFailure {
    /// The failure of a sign-in at the provider (217). `what` never has text of the provider's, which may hold a secret.
    static func provider(_ what: String) -> AuthorityFailure {
        AuthorityFailure(.adalInternalError, "the provider at which people sign in: \(what)")
    }
}
