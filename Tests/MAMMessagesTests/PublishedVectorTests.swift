import MAMProtection
import MAMSupport
import Testing

@testable import MAMMessages

/// Vectors of the specifications.
@Suite struct PublishedVectorTests {
    @Test func rfc9421ECDSA() throws {  // B.2.4
        let x = try #require(bytes(base64url: "qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA"))
        let y = try #require(bytes(base64url: "Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0"))
        let base = #"""
            "@status": 200
            "content-type": application/json
            "content-digest": sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:
            "content-length": 23
            "@signature-params": ("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256"
            """#
        let signature = try #require(
            SignatureFields.signature(
                ":wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:"))
        #expect(RequestKey.verifies(signature, of: Array(base.utf8), by: [4] + x + y))
        #expect(!RequestKey.verifies(signature, of: Array(base.utf8) + [0], by: [4] + x + y))
        #expect(!RequestKey.verifies(signature, of: Array(base.utf8), by: [4] + y + x), "not a point of the curve")
    }

    @Test func rfc9421Ed25519() throws {  // B.2.6
        let key = try #require(
            VerifyingKey(jwk: ["kty": "OKP", "crv": "Ed25519", "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"]))
        let base = #"""
            "date": Tue, 20 Apr 2021 02:07:55 GMT
            "@method": POST
            "@path": /foo
            "@authority": example.com
            "content-type": application/json
            "content-length": 18
            "@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"
            """#
        let signature = try #require(
            SignatureFields.signature(
                ":wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:"))
        #expect(key.verifies(signature, of: Array(base.utf8)))
    }

    @Test func rfc8037Thumbprint() throws {  // A.3
        let jwk: JSON = ["kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"]
        let kid = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
        #expect(VerifyingKey(jwk: jwk)?.kid == kid)
        #expect(VerifyingKey(jwk: .object((jwk.object ?? []) + [("kid", .string(kid))])) != nil)
        #expect(VerifyingKey(jwk: .object((jwk.object ?? []) + [("kid", "another")])) == nil)
    }

    @Test func rfc9530Digest() {  // B.1
        let body = Array("{\"hello\": \"world\"}\n".utf8)
        #expect(contentDigest(of: body) == "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:")
    }

    @Test(arguments: ["", "AA", "AAECAwQFBgcICQoLDA0ODw"]) func base64urlIsRead(_ text: String) {
        #expect(bytes(base64url: text).map { base64url($0) } == text)
    }

    @Test(arguments: ["A", "AB", "AA==", "A+", "A/", "A A"]) func otherTextIsNoBase64url(_ text: String) {
        #expect(bytes(base64url: text) == nil)
    }
}
