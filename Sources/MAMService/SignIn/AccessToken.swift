import MAMMessages
import MAMSupport

/// An algorithm of tokens that is accepted.
public enum TokenAlgorithm: String, Sendable {
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"
}

/// An access token as it came (RFC 7515, the compact form): nothing about it is verified yet.
public struct AccessToken: Sendable {
    /// The longest token, in bytes.
    static let longest = 8192

    /// The token. It enrolls whoever has it: it is not stored, and not logged.
    public let text: String
    /// The id of the key that signed it.
    public let keyId: String
    /// The algorithm that it states.
    public let algorithm: TokenAlgorithm
    let claims: JSON

    /// Read a token: strict base64url and JSON, without repeated members.
    public init(_ text: String) throws(TokenRefusal) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard text.utf8.count <= AccessToken.longest, parts.count == 3, let header = AccessToken.object(parts[0]),
            let claims = AccessToken.object(parts[1]), let signature = bytes(base64url: parts[2])
        else { throw .malformed }
        guard let algorithm = header["alg"]?.string.flatMap(TokenAlgorithm.init(rawValue:)) else { throw .algorithm }
        // Extensions that must be understood, of which none is.
        guard !signature.isEmpty, header["crit"] == nil, header["b64"] == nil, let keyId = header["kid"]?.string,
            (1...256).contains(keyId.utf8.count)
        else { throw .malformed }
        if let type = header["typ"] {
            let folded = type.string.map { String(decoding: $0.utf8.map { Identity.fold($0) }, as: UTF8.self) }
            guard ["jwt", "at+jwt", "application/at+jwt"].contains(folded) else { throw .notAccessToken }
        }
        (self.text, self.keyId, self.algorithm, self.claims) = (text, keyId, algorithm, claims)
    }

    /// Whether it says that it is a provider's.
    public func isIssued(by settings: SignInSettings) -> Bool { claims["iss"]?.string == settings.issuer }

    static func object(_ part: String) -> JSON? {
        guard let bytes = bytes(base64url: part), let json = try? JSONReader.read(bytes), json.object != nil else {
            return nil
        }
        return json
    }
}

extension ServiceRequest {
    /// The access token that the request brings, by either scheme; nil for none.
    public var accessToken: Result<AccessToken, TokenRefusal>? {
        let value = fields.first { $0.name == "authorization" }?.value ?? ""
        let schemes = ["Bearer ", ServiceRequest.boundScheme]
        guard let scheme = schemes.first(where: { value.utf8.starts(with: $0.utf8) }) else { return nil }
        do throws(TokenRefusal) { return .success(try AccessToken(String(value.dropFirst(scheme.count)))) } catch {
            return .failure(error)
        }
    }

    /// The scheme of a token that is bound to a key (RFC 9449).
    static let boundScheme = "DPoP "
}
