import MAMProtection
import MAMSupport

/// The thumbprint of a JSON Web Key, RFC 7638, of its required members in the order of their names.
public func thumbprint(_ members: [(name: String, value: String)]) -> String {
    base64url(sha256(JSON.object(members.map { ($0.name, .string($0.value)) }).utf8))
}

/// The JSON Web Keys of the protocol, RFC 7517 and 8037.
public enum JSONWebKey {
    /// The key of a registration, from its form in SEC 1.
    public static func p256(_ publicKey: [UInt8]) -> JSON {
        let (x, y) = coordinates(publicKey)
        return ["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y)]
    }

    /// The thumbprint of such a key.
    public static func thumbprint(p256 publicKey: [UInt8]) -> String {
        let (x, y) = coordinates(publicKey)
        return MAMMessages.thumbprint([("crv", "P-256"), ("kty", "EC"), ("x", x), ("y", y)])
    }

    private static func coordinates(_ publicKey: [UInt8]) -> (x: String, y: String) {
        (base64url(Array(publicKey.dropFirst().prefix(32))), base64url(Array(publicKey.dropFirst(33))))
    }

    /// The key to which exchange keys are encrypted.
    public static func x25519(_ publicKey: [UInt8]) -> JSON {
        ["kty": "OKP", "crv": "X25519", "x": .string(base64url(publicKey))]
    }
}

extension VerifyingKey {
    /// The key as a JSON Web Key with its use.
    public func jwk(use: String) -> JSON {
        ["use": .string(use), "kid": .string(kid), "kty": "OKP", "crv": "Ed25519", "x": .string(base64url(bytes))]
    }

    /// The key's thumbprint.
    public var kid: String { thumbprint([("crv", "Ed25519"), ("kty", "OKP"), ("x", base64url(bytes))]) }

    /// A key from a JSON Web Key; nil for another kind of key, or where a "kid" is not its thumbprint.
    public init?(jwk json: JSON) {
        guard json["kty"] == "OKP", json["crv"] == "Ed25519", let x = json["x"]?.string,
            let bytes = MAMMessages.bytes(base64url: x)
        else { return nil }
        self.init(checking: bytes)
        if let kid = json["kid"], kid.string != self.kid { return nil }
    }
}
