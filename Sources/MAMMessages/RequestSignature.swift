import MAMProtection
import MAMSupport

/// The signature of a request, RFC 9421, in the one form that is accepted: label, components and parameters are fixed.
public struct RequestSignature: Sendable {
    /// The member of Signature-Input behind the label: components and parameters.
    public let input: String
    /// The member of Signature behind the label.
    public let member: String
    /// The time of signing, in seconds since 1970.
    public let created: Int64
    /// Random text of the client's, new in each request. It binds the reply to the request; the service keeps none, since calls may be
    /// repeated.
    public let nonce: String
    /// The registration; at enrollment, the key's thumbprint.
    public let keyId: String
    /// r and s, 64 bytes.
    public let bytes: [UInt8]
    /// The field Authorization of a request that was read; nil where there is none. It is signed where it is there. One that was made does
    /// not have it, since it is secret.
    public let authorization: String?
    /// The field Content-Digest.
    public let contentDigest: String
    /// The URL that was signed.
    public let target: String
    /// The method.
    public let method: String

    /// Read the fields of a request for a URL; nil where they are not in that form.
    public init?(method: String, fields: [MessageField], target: String) {
        authorization = fields.only("authorization")
        guard authorization != nil || !fields.contains(where: { $0.name == "authorization" }),
            let digest = fields.only("content-digest"),
            let input = fields.only("signature-input").flatMap(SignatureFields.member),
            let member = fields.only("signature").flatMap(SignatureFields.member),
            let bytes = SignatureFields.signature(member)
        else { return nil }
        var reader = SignatureInputReader(input)
        guard reader.skip(RequestSignature.components(authorization != nil)), let created = reader.seconds("created"),
            let nonce = reader.text("nonce"), let keyId = reader.text("keyid"), reader.isAtEnd
        else { return nil }
        (self.input, self.member, self.created, self.nonce, self.keyId) = (input, member, created, nonce, keyId)
        (self.bytes, contentDigest, self.target, self.method) = (bytes, digest, target, method)
    }

    /// Sign a request. `authorization` is the field of that name, visible ASCII with spaces; `keyId` and `nonce` have none.
    public init(
        method: String, target: String, body: [UInt8], authorization: SecretBytes?, created: Int64, nonce: String,
        keyId: String, key: RequestKey
    ) throws(MAMError) {
        let components = RequestSignature.components(authorization != nil)
        contentDigest = MAMMessages.contentDigest(of: body)
        input = "\(components);created=\(created);nonce=\"\(nonce)\";keyid=\"\(keyId)\""
        let (front, back) = (
            SignatureFields.base(RequestSignature.front(method, target, contentDigest)),
            SignatureFields.base([RequestSignature.back(input)])
        )
        let end = Array("\n".utf8) + back
        bytes =
            if let authorization {
                try key.sign(SecretBytes(front + Array("\n\"authorization\": ".utf8), authorization, end))
            } else { try key.sign(front + end) }
        member = ":\(base64(bytes)):"
        (self.method, self.target, self.authorization) = (method, target, nil)
        (self.created, self.nonce, self.keyId) = (created, nonce, keyId)
    }

    /// The fields of the signed request, without Authorization.
    public var fields: [MessageField] {
        [
            ("content-digest", contentDigest), ("signature-input", SignatureFields.label + input),
            ("signature", SignatureFields.label + member),
        ]
    }

    /// The bytes that were signed, of a request that was read.
    public var base: [UInt8] {
        var lines = RequestSignature.front(method, target, contentDigest)
        if let authorization { lines.append(("\"authorization\"", authorization)) }
        return SignatureFields.base(lines + [RequestSignature.back(input)])
    }

    private static func components(_ isAuthorized: Bool) -> String {
        #"("@method" "@target-uri" "content-digest""# + (isAuthorized ? #" "authorization")"# : ")")
    }

    /// The lines before and behind that of the field Authorization.
    private static func front(_ method: String, _ target: String, _ contentDigest: String) -> [SignatureFields.Line] {
        [("\"@method\"", method), ("\"@target-uri\"", target), ("\"content-digest\"", contentDigest)]
    }

    private static func back(_ input: String) -> SignatureFields.Line { ("\"@signature-params\"", input) }
}
