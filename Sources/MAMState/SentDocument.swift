import MAMSupport

/// A document as the authority sent it, with the authority's signature of it.
public struct SentDocument: Sendable {
    /// Its id.
    public let id: String
    /// What it says.
    public let document: JSON
    /// In base64; nil where the authority signs nothing.
    public let signature: String?

    /// A document.
    public init(id: String, document: JSON, signature: String? = nil) {
        self.id = id
        self.document = document
        self.signature = signature
    }

    /// Read the stored form; nil where it is none.
    public init?(json: JSON) {
        guard let id = json["id"]?.string, let document = json["document"] else { return nil }
        self.init(id: id, document: document, signature: json["signature"]?.string)
    }

    /// The stored form: {"id","document"}, and "signature" where there is one.
    public var json: JSON {
        let signature: [(key: String, value: JSON)] = signature.map { [("signature", .string($0))] } ?? []
        return .object([("id", .string(id)), ("document", document)] + signature)
    }
}
