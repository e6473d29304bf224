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
    /// Random text of the client's, new in each request.
    public let nonce: String
    /// The registration; at enrollment, the key's thumbprint.
    public let keyId: String
    /// r and s, 64 bytes.
    public let bytes: [UInt8]
    /// The field Authorization; nil where there is none. It is signed where it is there.
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
        guard reader.skip(RequestSignature.components(authorization)), let created = reader.seconds("created"),
            let nonce = reader.text("nonce"), let keyId = reader.text("keyid"), reader.isAtEnd
        else { return nil }
        (self.input, self.member, self.created, self.nonce, self.keyId) = (input, member, created, nonce, keyId)
        (self.bytes, contentDigest, self.target, self.method) = (bytes, digest, target, method)
    }

    /// Sign a request. `authorization` is visible ASCII with spaces, `keyId` and `nonce` without.
    public init(
        method: String, target: String, body: [UInt8], authorization: String?, created: Int64, nonce: String,
        keyId: String, key: RequestKey
    ) throws(MAMError) {
        contentDigest = MAMMessages.contentDigest(of: body)
        input =
            "\(RequestSignature.components(authorization));created=\(created);nonce=\"\(nonce)\";keyid=\"\(keyId)\""
        bytes = try key.sign(
            RequestSignature.base(
                method: method, target: target, contentDigest: contentDigest, authorization: authorization, input: input
            ))
        member = ":\(base64(bytes)):"
        (self.method, self.target, self.authorization) = (method, target, authorization)
        (self.created, self.nonce, self.keyId) = (created, nonce, keyId)
    }

    /// The fields of the signed request.
    public var fields: [MessageField] {
        [
            ("content-digest", contentDigest), ("signature-input", SignatureFields.label + input),
            ("signature", SignatureFields.label + member),
        ] + (authorization.map { [("authorization", $0)] } ?? [])
    }

    /// The bytes that were signed.
    public var base: [UInt8] {
        RequestSignature.base(
            method: method, target: target, contentDigest: contentDigest, authorization: authorization, input: input)
    }

    private static func components(_ authorization: String?) -> String {
        #"("@method" "@target-uri" "content-digest""# + (authorization == nil ? ")" : #" "authorization")"#)
    }

    private static func base(
        method: String, target: String, contentDigest: String, authorization: String?, input: String
    ) -> [UInt8] {
        var lines: [SignatureFields.Line] = [
            ("\"@method\"", method), ("\"@target-uri\"", target), ("\"content-digest\"", contentDigest),
        ]
        if let authorization { lines.append(("\"authorization\"", authorization)) }
        return SignatureFields.base(lines + [("\"@signature-params\"", input)])
    }
}
