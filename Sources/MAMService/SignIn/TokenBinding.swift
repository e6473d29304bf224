import MAMMessages
import MAMSupport

/// Tokens that are bound to a key (DPoP, RFC 9449). No proof is remembered: it names the key that signs the request, so that nobody else
/// can use it, and whoever repeats a whole request is answered as before.
extension Service {
    /// The time between making a proof and its request, and the difference of clocks, in seconds.
    private static let longestAge: Double = 300

    /// A token of a request, unless it is bound to a key and the request does not prove the key, or the other way round, or it has to be
    /// bound and is not. `signer` is the thumbprint of the key that signed the request.
    func unlessUnproven(
        _ token: Result<AccessToken, TokenRefusal>?, _ request: ServiceRequest, _ signature: RequestSignature,
        signer: @autoclosure () -> String, _ now: Instant
    ) -> Result<AccessToken, TokenRefusal>? {
        guard case .success(let token)? = token else { return token }
        let bound = token.claims["cnf"]
        if signIn?.boundTokensOnly ?? false, bound?["jkt"]?.string == nil { return .failure(.notBound) }
        guard signature.authorization?.utf8.starts(with: ServiceRequest.boundScheme.utf8) ?? false else {
            return bound == nil ? .success(token) : .failure(.boundToKey)
        }
        let proofs = request.fields.filter { $0.name == "dpop" }
        guard proofs.count == 1, let proof = proofs.first.flatMap({ ReceivedProof($0.value) }),
            let thumbprint = bound?["jkt"]?.string,
            proof.thumbprint == thumbprint, cryptography.isKey(proof.key),
            cryptography.verifies(proof.signature, of: proof.message, by: proof.key),
            proof.claims["htm"]?.string == signature.method, proof.claims["htu"]?.string == signature.target,
            proof.claims["ath"]?.string == KeyProof.digest(of: Array(token.text.utf8)),
            proof.claims[KeyProof.signer]?.string == signer(),
            let made = SignInSettings.seconds(proof.claims["iat"]),
            abs(made - Double(now.milliseconds) / 1000) <= Service.longestAge
        else { return .failure(.badProof) }
        return .success(token)
    }
}

/// A proof as it came: nothing about it is verified yet.
private struct ReceivedProof {
    /// The key that it states, as in SEC 1, and its thumbprint.
    let key: [UInt8]
    let thumbprint: String
    let claims: JSON
    /// The bytes that are signed.
    let message: [UInt8]
    let signature: [UInt8]

    private static let longest = 4096

    /// Read a proof: strict base64url and JSON, its type, its algorithm, and a public key alone.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard text.utf8.count <= ReceivedProof.longest, parts.count == 3, let header = AccessToken.object(parts[0]),
            let claims = AccessToken.object(parts[1]), let signature = bytes(base64url: parts[2]),
            signature.count == 64, header["typ"]?.string == KeyProof.type,
            header["alg"]?.string == KeyProof.algorithm, header["crit"] == nil, let jwk = header["jwk"],
            jwk["kty"] == "EC", jwk["crv"] == "P-256", jwk["d"] == nil,
            let x = jwk["x"]?.string.flatMap(bytes(base64url:)), let y = jwk["y"]?.string.flatMap(bytes(base64url:)),
            x.count == 32, y.count == 32, claims["jti"]?.string?.isEmpty == false
        else { return nil }
        key = [4] + x + y
        thumbprint = JSONWebKey.thumbprint(p256: key)
        (self.claims, self.signature) = (claims, signature)
        message = Array("\(parts[0]).\(parts[1])".utf8)
    }
}
