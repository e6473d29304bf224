import MAMProtection
import MAMSupport

/// The signature of a reply, RFC 9421, which binds it to its request. `request` is nil for discovery, whose reply binds no more of a
/// request than method and URL.
public struct ReplySignature {
    private let status: Int
    private let contentDigest: String
    private let method: String
    private let target: String
    private let request: RequestSignature?

    /// The reply with this status and body to this request.
    public init(status: Int, body: [UInt8], method: String, target: String, request: RequestSignature?) {
        (self.status, self.method, self.target, self.request) = (status, method, target, request)
        contentDigest = MAMMessages.contentDigest(of: body)
    }

    /// The fields of the reply that `sign` signs with the key of this thumbprint.
    public func fields(
        keyId: String, now: Instant, sign: ([UInt8]) throws(MAMError) -> [UInt8]
    ) throws(MAMError) -> [MessageField] {
        let input = "\(components);created=\(now.milliseconds / 1000);keyid=\"\(keyId)\""
        return [
            ("content-digest", contentDigest), ("signature-input", SignatureFields.label + input),
            ("signature", "\(SignatureFields.label):\(base64(try sign(base(input)))):"),
        ]
    }

    /// The thumbprint of the key that a reply says it was signed with; nil where the fields are not in the accepted form.
    public static func keyId(_ fields: [MessageField]) -> String? {
        guard let input = fields.only("signature-input").flatMap(SignatureFields.member),
            let end = input.firstIndex(of: ")")
        else { return nil }
        var reader = SignatureInputReader(input[input.index(after: end)...])
        guard reader.seconds("created") != nil else { return nil }
        return reader.text("keyid")
    }

    /// The result of verifying a reply's fields.
    public enum Verification: Equatable, Sendable {
        /// An accepted key signed it at this time, in seconds since 1970.
        case signed(created: Int64)
        /// It has no signature at all: whoever sent it, the authority did not.
        case unsigned
        /// It has a signature that is none of an accepted key for this reply to this request.
        case refused
    }

    /// Verify the fields of a reply by the keys that are accepted.
    public func verify(_ fields: [MessageField], by keys: [VerifyingKey]) -> Verification {
        guard fields.contains(where: { $0.name == "signature" || $0.name == "signature-input" }) else {
            return .unsigned
        }
        guard fields.only("content-digest") == contentDigest,
            let input = fields.only("signature-input").flatMap(SignatureFields.member),
            let signature = fields.only("signature").flatMap(SignatureFields.member)
                .flatMap(SignatureFields.signature)
        else { return .refused }
        var reader = SignatureInputReader(input)
        guard reader.skip(components), let created = reader.seconds("created"), let keyId = reader.text("keyid"),
            reader.isAtEnd, let key = keys.first(where: { $0.kid == keyId }), key.verifies(signature, of: base(input))
        else { return .refused }
        return .signed(created: created)
    }

    private var components: String {
        let bound =
            request == nil ? "" : #" "content-digest";req "signature-input";req;key="mam" "signature";req;key="mam""#
        return #"("@status" "content-digest" "@method";req "@target-uri";req"# + bound + ")"
    }

    private func base(_ input: String) -> [UInt8] {
        var lines: [SignatureFields.Line] = [
            ("\"@status\"", "\(status)"), ("\"content-digest\"", contentDigest), ("\"@method\";req", method),
            ("\"@target-uri\";req", target),
        ]
        if let request {
            lines += [
                ("\"content-digest\";req", request.contentDigest),
                ("\"signature-input\";req;key=\"mam\"", request.input),
                ("\"signature\";req;key=\"mam\"", request.member),
            ]
        }
        return SignatureFields.base(lines + [("\"@signature-params\"", input)])
    }
}
