import MAMProtection
import MAMSupport

/// The signature of a request, RFC 9421, in the one form that is accepted: label, components and parameters are fixed.
struct RequestSignature {
    /// The member of Signature-Input behind the label: components and parameters.
    let input: String
    /// The member of Signature behind the label.
    let member: String
    let created: Int64
    let nonce: String
    let keyId: String
    /// r and s, 64 bytes.
    let bytes: [UInt8]
    /// The field Authorization; nil where there is none. It is signed where it is there.
    let authorization: String?
    let contentDigest: String
    /// The URL that was signed.
    let target: String
    let method: String

    private static let label = "mam="

    /// Read the fields of a request for a URL; nil where they are not in that form.
    init?(_ request: ServiceRequest, target: String) {
        func only(_ name: String) -> String? {
            let found = request.fields.filter { $0.name == name }
            return found.count == 1 ? found[0].value : nil
        }
        let authorizations = request.fields.filter { $0.name == "authorization" }
        guard authorizations.count <= 1, let digest = only("content-digest"),
            let input = only("signature-input").flatMap(RequestSignature.member),
            let member = only("signature").flatMap(RequestSignature.member),
            let bytes = RequestSignature.binary(member), bytes.count == 64
        else { return nil }
        authorization = authorizations.first?.value
        let components =
            #"("@method" "@target-uri" "content-digest""# + (authorization == nil ? ")" : #" "authorization")"#)
        var rest = input[...]
        func take(_ text: String) -> Bool {
            guard rest.utf8.starts(with: text.utf8) else { return false }
            rest = rest.dropFirst(text.count)
            return true
        }
        func quoted() -> String? {
            guard take("\"") else { return nil }
            let value = rest.prefix { $0 != "\"" }
            rest = rest.dropFirst(value.count)
            let isPlain = value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
            return take("\"") && isPlain && (1...64).contains(value.utf8.count) ? String(value) : nil
        }
        guard take(components), take(";created=") else { return nil }
        let digits = rest.prefix { ("0"..."9").contains($0) }
        rest = rest.dropFirst(digits.count)
        guard (1...15).contains(digits.utf8.count), let created = Int64(digits), take(";nonce="), let nonce = quoted(),
            take(";keyid="), let keyId = quoted(), rest.isEmpty
        else { return nil }
        (self.input, self.member, self.created, self.nonce, self.keyId) = (input, member, created, nonce, keyId)
        (self.bytes, contentDigest, self.target, method) = (bytes, digest, target, request.method)
    }

    /// The bytes that were signed.
    var base: [UInt8] {
        var lines = ["\"@method\": \(method)", "\"@target-uri\": \(target)", "\"content-digest\": \(contentDigest)"]
        if let authorization { lines.append("\"authorization\": \(authorization)") }
        lines.append("\"@signature-params\": \(input)")
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// The value of the only member, whose label has to be the protocol's.
    private static func member(_ field: String) -> String? {
        guard field.utf8.starts(with: label.utf8), field.utf8.count <= 1024 else { return nil }
        return String(field.dropFirst(label.count))
    }

    /// The bytes of ":base64:".
    private static func binary(_ member: String) -> [UInt8]? {
        let text = Array(member.utf8)
        guard text.count >= 2, text.first == UInt8(ascii: ":"), text.last == UInt8(ascii: ":") else { return nil }
        return text.dropFirst().dropLast().withUnsafeBytes { try? Base64.decode($0) }
    }
}

/// The signature of a reply.
struct ReplySignature {
    private static let toRequest = #"("@status" "content-digest" "@method";req "@target-uri";req"#

    /// The fields of a signed reply. `request` is nil for discovery, which binds no more of a request than method and URL.
    static func fields(
        status: Int, body: [UInt8], method: String, target: String, request: RequestSignature?, key: SigningKey,
        keyId: String, now: Instant
    ) throws(MAMError) -> [(name: String, value: String)] {
        let digest = contentDigest(of: body)
        var components = toRequest
        var lines = ["\"@status\": \(status)", "\"content-digest\": \(digest)"]
        lines += ["\"@method\";req: \(method)", "\"@target-uri\";req: \(target)"]
        if let request {
            components += #" "content-digest";req "signature-input";req;key="mam" "signature";req;key="mam""#
            lines += [
                "\"content-digest\";req: \(request.contentDigest)",
                "\"signature-input\";req;key=\"mam\": \(request.input)",
                "\"signature\";req;key=\"mam\": \(request.member)",
            ]
        }
        let input = "\(components));created=\(now.milliseconds / 1000);keyid=\"\(keyId)\""
        lines.append("\"@signature-params\": \(input)")
        let signature = try key.sign(Array(lines.joined(separator: "\n").utf8))
        return [
            ("content-digest", digest), ("signature-input", "mam=\(input)"),
            ("signature", "mam=:\(base64(signature)):"),
        ]
    }
}

/// The field Content-Digest of a body, RFC 9530.
func contentDigest(of body: [UInt8]) -> String { "sha-256=:\(base64(sha256(body))):" }
