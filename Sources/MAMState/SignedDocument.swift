import MAMSupport

/// A document as the authority sent it, with its signature.
public struct SignedDocument: Sendable {
    /// The document's id.
    public let id: String
    /// The content.
    public let document: JSON
    /// The signature in base64; nil where the authority does not sign.
    public let signature: String?

    /// A document.
    public init(id: String, document: JSON, signature: String? = nil) {
        self.id = id
        self.document = document
        self.signature = signature
    }

    /// Decode the stored form; nil where it is malformed.
    public init?(json: JSON) {
        guard let id = json["id"]?.string, let document = json["document"] else { return nil }
        self.init(id: id, document: document, signature: json["signature"]?.string)
    }

    /// The stored form: {"id","document"}, and "signature" if there is one.
    public var json: JSON {
        let signature: [(key: String, value: JSON)] = signature.map { [("signature", .string($0))] } ?? []
        return .object([("id", .string(id)), ("document", document)] + signature)
    }
}
