import MAMSupport

/// The documents of an export: an object, an array, or `{"value":…}` around either, each document with its type.
///
/// The type is what `@odata.type` states, else what `@odata.context` of the document or of the list names, else what the caller
/// gives. A document without any of these, or of a type that an authority does not accept, is an error: an export is read
/// completely or not at all.
public struct DocumentExport: Sendable {
    /// A document.
    public struct Entry: Sendable {
        /// The type.
        public let type: DocumentType
        /// The document, with the type in `@odata.type`.
        public let json: JSON
    }

    /// The documents in their order.
    public let entries: [Entry]

    /// Parses an export. `noun` is the word for a document in errors, `given` the type that the caller gives, `most` the
    /// maximum number of documents.
    public init(_ json: JSON, noun: String, given: DocumentType?, most: Int = 1000) throws(MAMError) {
        let inside = json["value"] ?? json
        let found: [JSON]
        switch inside {
        case .array(let elements): found = elements
        case .object: found = [inside]
        default: throw MAMError(.json, "a \(noun) is a JSON object, not \(inside.typeName)")
        }
        guard !found.isEmpty else { throw MAMError(.json, "there is no \(noun) in the document") }
        guard found.count <= most else {
            throw MAMError(.argument, "the document holds \(found.count); at most \(most) are read at once")
        }
        let around = json["value"] == nil ? nil : DocumentType.stated(byContext: json["@odata.context"])
        var entries: [Entry] = []
        for (index, document) in found.enumerated() {
            let name = "\(noun) \(index + 1) of the document"
            guard document.object != nil else {
                throw MAMError(.json, "\(name) is \(document.typeName), not a JSON object")
            }
            do throws(MAMError) {
                entries.append(try DocumentExport.entry(document, around, given))
            } catch {
                throw MAMError(error.code, "\(name)\(DocumentExport.title(document)) \(error.message)", error.detail)
            }
        }
        self.entries = entries
    }

    private static func entry(
        _ document: JSON, _ around: DocumentType.StatedType?, _ given: DocumentType?
    ) throws(MAMError) -> Entry {
        var statement = try DocumentType.stated(byType: document["@odata.type"])
        let isComplete = statement != nil
        statement = statement ?? DocumentType.stated(byContext: document["@odata.context"]) ?? around
        switch (statement, given) {
        case (.foreign(let name), _):
            throw MAMError(
                .argument,
                "is of the type \(ForeignText.quoted(name)), which is no managed app protection and no app configuration"
            )
        case (.type(let type), let given?) where type != given:
            throw MAMError(
                .argument, "is a \(ForeignText.quoted(type.name)); the type that is given with it is \(given.word)")
        case (.type(let type), _):
            return Entry(type: type, json: isComplete ? document : stating(type, document))
        case (nil, let given?): return Entry(type: given, json: stating(given, document))
        case (nil, nil):
            throw MAMError(
                .argument,
                "does not say its type: it has no @odata.type, and no @odata.context names it; give the type "
                    + "(\"type\", or --type of mamctl: \(DocumentType.words.joined(separator: ", ")))")
        }
    }

    private static func stating(_ type: DocumentType, _ document: JSON) -> JSON {
        let others = (document.object ?? []).filter { $0.key != "@odata.type" }
        return .object([("@odata.type", .string(type.name))] + others)
    }

    private static func title(_ document: JSON) -> String {
        guard let name = document["displayName"]?.string, !name.isEmpty else { return "" }
        return " (\(ForeignText.quoted(name)))"
    }
}
