import MAMMessages
import MAMProtection
import MAMSupport

@testable import MAMDirectory
@testable import MAMService

/// Makes a proof of a token's key as a client does, with one property changed.
struct TestProof {
    /// The key to which tokens are bound.
    static let key = [4] + [UInt8](repeating: 11, count: 64)
    var key = TestProof.key
    var header: [JSON.Member] = [("typ", "dpop+jwt"), ("alg", "ES256")]
    var claims: [JSON.Member]

    init(_ token: TestToken, _ fixture: ServiceFixture, signer: String, path: String = "/mam/v1/registrations") {
        claims = [
            ("jti", "j"), ("htm", "POST"), ("htu", .string(ServiceFixture.address + path)),
            ("iat", .integer(fixture.now.milliseconds / 1000)),
            ("ath", .string(base64url(sha256(Array(token.text.utf8))))), ("mam_key", .string(signer)),
        ]
    }

    static func jwk(_ key: [UInt8]) -> JSON { JSONWebKey.p256(key) }

    func text(jwk: JSON? = nil, damaged: Bool = false) -> String {
        let header = self.header + [("jwk", jwk ?? TestProof.jwk(key))]
        let message = [header, claims].map { base64url(JSON.object($0).utf8) }.joined(separator: ".")
        var signature = TestCryptography.sign(Array(message.utf8), by: key)
        if damaged { signature[0] ^= 1 }
        return message + "." + base64url(signature)
    }

    /// With claims instead of others; nil for none.
    func with(_ changed: KeyValuePairs<String, JSON?>) -> TestProof {
        var proof = self
        proof.claims =
            claims.filter { member in !changed.contains { $0.key == member.key } }
            + changed.compactMap { key, value in value.map { (key, $0) } }
        return proof
    }
}
