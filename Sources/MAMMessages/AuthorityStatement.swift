import MAMProtection
import MAMSupport

/// States the keys that a service has from now on. Statements are numbered from 1, without a gap; the discovery document carries all
/// of them for ever, so that an app that was silent for years learns the latest keys from the ones that it knows.
///
/// The recovery key signs each statement. Where a key in use has signed as well, former keys may stay beside a new one; where the
/// recovery key alone has signed, the former keys end at once.
public struct AuthorityStatement: Equatable, Sendable {
    /// A signature, and the thumbprint of its key.
    public struct Signature: Equatable, Sendable {
        /// The thumbprint, RFC 7638.
        public let kid: String
        /// 64 bytes.
        public let bytes: [UInt8]
    }

    /// The JSON that was signed: `{"tenant","number","keys":[…]}`.
    public let payload: String
    /// The signatures, at most two count.
    public let signatures: [Signature]

    private static let longestPayload = 8192
    private static let mostSignatures = 4

    /// Make and sign a statement. `keys` of `signers` are the recovery key, and the key in use where it still can be trusted.
    public init(
        number: Int64, tenant: String, keys: AuthorityKeys, signedBy signers: [SigningKey]
    ) throws(MAMError) {
        let json: JSON = ["tenant": .string(tenant), "number": .integer(number), "keys": keys.json]
        try self.init(payload: json.text, signedBy: signers)
    }

    /// Sign a payload as it is.
    public init(payload: String, signedBy signers: [SigningKey]) throws(MAMError) {
        self.payload = payload
        var made: [Signature] = []
        for signer in signers {
            made.append(
                Signature(kid: signer.verifier.kid, bytes: try signer.sign(AuthorityStatement.message(payload))))
        }
        signatures = made
    }

    /// Read `{"payload":"…","signatures":[{"kid","sig"}]}`; nil where it is not in that form.
    public init?(json: JSON) {
        guard let payload = json["payload"]?.string, payload.utf8.count <= AuthorityStatement.longestPayload,
            let all = json["signatures"]?.array, all.count <= AuthorityStatement.mostSignatures
        else { return nil }
        var read: [Signature] = []
        for one in all {
            guard let kid = one["kid"]?.string, let bytes = one["sig"]?.string.flatMap(bytes(base64url:))
            else { return nil }
            read.append(Signature(kid: kid, bytes: bytes))
        }
        (self.payload, signatures) = (payload, read)
    }

    /// That form.
    public var json: JSON {
        [
            "payload": .string(payload),
            "signatures": .array(
                signatures.map { ["kid": .string($0.kid), "sig": .string(base64url($0.bytes))] }),
        ]
    }

    /// The number; nil where the payload has none.
    public var number: Int64? { parsed?["number"]?.integer }

    /// The keys that a statement of this number and tenant puts in the place of `known`; nil where it is another's, or is not signed
    /// as it must be.
    public func keys(number: Int64, tenant: String, replacing known: AuthorityKeys) -> AuthorityKeys? {
        guard let json = parsed, json["number"]?.integer == number, json["tenant"]?.string == tenant,
            let stated = AuthorityKeys(json: json["keys"]), let recovery = known.recovery, isSigned(by: recovery)
        else { return nil }
        if known.signing.contains(where: isSigned) { return stated }
        return AuthorityKeys(
            signing: stated.signing.filter { !known.signing.contains($0) }, recovery: stated.recovery)
    }

    private var parsed: JSON? { try? JSON(parsing: payload, limit: AuthorityStatement.longestPayload) }

    /// The keys that it states, whoever signed it; nil where there are none.
    public var keys: AuthorityKeys? { AuthorityKeys(json: parsed?["keys"]) }

    /// Whether a key has signed it.
    public func isSigned(by key: VerifyingKey) -> Bool {
        let message = AuthorityStatement.message(payload)
        return signatures.contains { $0.kid == key.kid && key.verifies($0.bytes, of: message) }
    }

    /// The signed bytes: a line that names their purpose, and the payload.
    private static func message(_ payload: String) -> [UInt8] {
        Array("libmam authority statement 1\n\(payload)".utf8)
    }
}

extension AuthorityKeys {
    /// The keys after those statements of a chain that come after `number`, in their order, with the number of the last one. A chain
    /// ends at the first statement that does not count.
    public func after(
        _ statements: [AuthorityStatement], from number: Int64, tenant: String
    ) -> (keys: AuthorityKeys, number: Int64) {
        var (keys, latest) = (self, number)
        for statement in statements {
            guard let next = statement.number, next > latest else { continue }
            guard next == latest + 1, let stated = statement.keys(number: next, tenant: tenant, replacing: keys) else {
                break
            }
            (keys, latest) = (stated, next)
        }
        return (keys, latest)
    }
}
