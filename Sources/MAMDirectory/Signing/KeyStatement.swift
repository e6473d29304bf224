import MAMProtection
import MAMSupport

/// States the key with which an authority signs from now on. It is signed with the former key; the first statement, with its own.
struct KeyStatement: Equatable, Sendable {
    let payload: String
    let signature: [UInt8]

    /// Create the statement with a number for a key.
    static func make(
        _ number: Int64, of authority: String, for key: VerifyingKey, signedWith signer: SigningKey
    ) throws(MAMError) -> KeyStatement {
        let payload: JSON = [
            "authority": .string(authority), "number": .integer(number),
            "keys": [
                ["use": "sign", "kty": "OKP", "crv": "Ed25519", "x": .string(unpadded(key.base64))]
            ],
        ]
        return KeyStatement(payload: payload.text, signature: try signer.sign(message(payload.text)))
    }

    /// The stated key; nil where the statement does not have this number or belongs to another authority.
    func key(_ number: Int64, of authority: String) -> VerifyingKey? {
        guard let json = try? JSON(parsing: payload, limit: 4096), json["authority"]?.string == authority,
            json["number"]?.integer == number, let keys = json["keys"]?.array, keys.count == 1, let key = keys.first,
            key["use"] == "sign", key["kty"] == "OKP", key["crv"] == "Ed25519", let x = key["x"]?.string
        else { return nil }
        return VerifyingKey(base64: KeyStatement.padded(x))
    }

    /// The signed bytes: a line that names their purpose, and the payload.
    static func message(_ payload: String) -> [UInt8] { Array("libmam authority statement 1\n\(payload)".utf8) }

    // JSON Web Keys hold base64url without padding.
    private static func unpadded(_ text: String) -> String {
        let bytes = text.utf8.filter { $0 != UInt8(ascii: "=") }.map { byte in
            byte == UInt8(ascii: "+") ? UInt8(ascii: "-") : byte == UInt8(ascii: "/") ? UInt8(ascii: "_") : byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func padded(_ text: String) -> String {
        let bytes = text.utf8.map { byte in
            byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
        }
        return String(decoding: bytes, as: UTF8.self) + "="
    }
}

extension Store {
    /// The authority's statements in order; empty while it has no key.
    func statements() throws(MAMError) -> [KeyStatement] {
        try database.all("SELECT payload, signature FROM statements ORDER BY number") {
            KeyStatement(payload: $0.text(0) ?? "", signature: $0.blob(1))
        }
    }

    /// The authority's id; nil while it has no key.
    package func signingId() throws(MAMError) -> String? {
        try database.first("SELECT id FROM identity") { $0.text(0) ?? "" }
    }
}
