import MAMProtection
import MAMSupport

/// A proof that the sender of a request has the key to which a token is bound (DPoP, RFC 9449), for that request.
public enum KeyProof {
    /// The type that its header states.
    public static let type = "dpop+jwt"
    /// Its one algorithm.
    public static let algorithm = "ES256"
    /// The claim with the thumbprint of the key that signs a request to a service. Nobody else can use the proof, so that the service
    /// need not remember which ones it has seen.
    public static let signer = "mam_key"

    /// Make a proof. `nonce` is the provider's; `token` is the one that the request brings; `signer` is the thumbprint of the key that
    /// signs the request.
    public static func text(
        method: String, url: String, at time: Instant, nonce: String? = nil, token: SecretBytes? = nil,
        signer: String? = nil, by key: RequestKey
    ) throws(MAMError) -> String {
        let header: JSON = [
            "typ": .string(type), "alg": .string(algorithm), "jwk": JSONWebKey.p256(key.publicKey),
        ]
        var claims: [JSON.Member] = [
            ("jti", .string(base64url(try randomBytes(16)))), ("htm", .string(method)),
            ("htu", .string(String(url.prefix { $0 != "?" && $0 != "#" }))),
            ("iat", .integer(time.milliseconds / 1000)),
        ]
        if let nonce { claims.append(("nonce", .string(nonce))) }
        if let token { claims.append(("ath", .string(base64url(sha256(token))))) }
        if let signer { claims.append((KeyProof.signer, .string(signer))) }
        let message = [header, .object(claims)].map { base64url($0.utf8) }.joined(separator: ".")
        return message + "." + base64url(try key.sign(Array(message.utf8)))
    }

    /// The digest of a token, as the claim `ath` has it.
    public static func digest(of token: [UInt8]) -> String { base64url(sha256(token)) }
}
