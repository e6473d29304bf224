import MAMMessages
import MAMSupport

/// A public key of a provider that verifies its tokens.
public struct ProviderKey: Sendable, Equatable {
    /// The numbers of a key, big-endian; base64url, as the provider states them.
    public enum Material: Sendable, Equatable {
        case rsa(modulus: String, exponent: String)
        case p256(x: String, y: String)
        case ed25519(x: String)
    }

    /// Its id, by which tokens name it.
    public let keyId: String
    /// The numbers.
    public let material: Material

    /// The one algorithm that it is for.
    public var algorithm: TokenAlgorithm {
        switch material {
        case .rsa: .rs256
        case .p256: .es256
        case .ed25519: .edDSA
        }
    }

    /// The most keys that are read.
    private static let most = 100

    /// The keys of a set (RFC 7517) that verify tokens. Others are left out, one by one; where two have an id, the first counts.
    public static func keys(ofSet json: JSON) -> [ProviderKey] {
        var keys: [ProviderKey] = []
        for key in (json["keys"]?.array ?? []).prefix(most).compactMap(ProviderKey.init)
        where !keys.contains(where: { $0.keyId == key.keyId }) {
            keys.append(key)
        }
        return keys
    }

    private init?(_ json: JSON) {
        func number(_ name: String, _ sizes: ClosedRange<Int>) -> String? {
            guard let text = json[name]?.string, let bytes = bytes(base64url: text), sizes.contains(bytes.count) else {
                return nil
            }
            return text
        }
        guard let keyId = json["kid"]?.string, (1...256).contains(keyId.utf8.count) else { return nil }
        guard json["use"] == nil || json["use"] == "sig" else { return nil }
        if let operations = json["key_ops"], operations.array?.contains("verify") != true { return nil }
        self.keyId = keyId
        switch json["kty"]?.string {
        case "RSA":
            guard let n = number("n", 256...1025), let e = number("e", 1...8) else { return nil }
            material = .rsa(modulus: n, exponent: e)
        case "EC":
            guard json["crv"] == "P-256", let x = number("x", 32...32), let y = number("y", 32...32) else { return nil }
            material = .p256(x: x, y: y)
        case "OKP":
            guard json["crv"] == "Ed25519", let x = number("x", 32...32) else { return nil }
            material = .ed25519(x: x)
        default: return nil
        }
        if let stated = json["alg"], stated.string != algorithm.rawValue { return nil }
    }
}

extension SignInSettings {
    /// The address of the keys in the provider's metadata; nil where they are another provider's, or name none over https.
    public func keysURL(inMetadata json: JSON) -> String? {
        guard json["issuer"]?.string == issuer, let url = json["jwks_uri"]?.string, url.utf8.count <= 2048,
            url.utf8.starts(with: "https://".utf8), url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        return url
    }
}
