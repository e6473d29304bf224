import MAMSupport

/// The types of documents that an authority accepts; docs/policy.md "The type of a document".
public enum DocumentType: Sendable, Hashable {
    /// A managed app protection for a platform's hosts.
    case policy(Platform)
    /// An app configuration.
    case configuration

    /// The words for the types: the values of `--type`.
    public static let words = table.map(\.word)

    /// Parses a word; nil for an unknown one.
    public init?(word: String) {
        guard let row = DocumentType.table.first(where: { $0.word == word }) else { return nil }
        self = row.type
    }

    /// Parses an `@odata.type`, with or without "#"; nil for other types.
    init?(name: some StringProtocol) {
        let skipped = name.utf8.first == UInt8(ascii: "#") ? 1 : 0
        let bare = String(decoding: name.utf8.dropFirst(skipped), as: UTF8.self)
        if let row = DocumentType.table.first(where: { $0.name == bare }) {
            self = row.type
        } else if bare == "microsoft.graph.managedAppConfiguration" {
            self = .configuration
        } else {
            return nil
        }
    }

    /// The word for the type.
    public var word: String { DocumentType.table.first { $0.type == self }?.word ?? "" }

    /// The `@odata.type`.
    var name: String { "#" + (DocumentType.table.first { $0.type == self }?.name ?? "") }

    private static let table: [(word: String, name: String, type: DocumentType)] = [
        ("ios", "microsoft.graph.iosManagedAppProtection", .policy(.ios)),
        ("android", "microsoft.graph.androidManagedAppProtection", .policy(.android)),
        ("windows", "microsoft.graph.windowsManagedAppProtection", .policy(.windows)),
        ("linux", "libmam.linuxManagedAppProtection", .policy(.linux)),
        ("default", "microsoft.graph.defaultManagedAppProtection", .policy(.default)),
        ("config", "microsoft.graph.targetedManagedAppConfiguration", .configuration),
    ]
}

extension DocumentType {
    /// The type that a document, or the list around it, states.
    enum StatedType {
        case type(DocumentType)
        /// A type that an authority does not accept, by name.
        case foreign(String)
    }

    /// Returns the type that an `@odata.type` states; nil if it is absent, null or empty.
    static func stated(byType json: JSON?) throws(MAMError) -> StatedType? {
        guard let json, !json.isNull else { return nil }
        guard let name = json.string else {
            throw MAMError(.json, "@odata.type is a JSON \(json.typeName); it must be a string")
        }
        return name.isEmpty ? nil : DocumentType(name: name).map(StatedType.type) ?? .foreign(name)
    }

    /// Returns the type that an `@odata.context` states, by its name or by its entity set. nil if it is absent or names a set
    /// of several types.
    static func stated(byContext json: JSON?) -> StatedType? {
        guard let text = json?.string, let hash = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return nil }
        var path = String(text[text.utf8.index(after: hash)...])
        let collection = "Collection("
        if path.hasPrefix(collection), path.utf8.last == UInt8(ascii: ")") {
            path = String(path.dropFirst(collection.count).dropLast())
        }
        let segments = segments(path).filter { !["$entity", "$delta", ""].contains($0) }
        guard let last = segments.last else { return nil }
        if last == "managedAppPolicies" { return nil }
        if last.utf8.contains(UInt8(ascii: ".")) {
            return DocumentType(name: last).map(StatedType.type) ?? .foreign(last)
        }
        // Entity sets are named like their types, in the plural.
        let row = table.first { $0.name.split(separator: ".").last.map { "\($0)s" } == last }
        return row.map { .type($0.type) } ?? .foreign(last)
    }

    /// Returns the segments of a path, without parentheses and their content.
    private static func segments(_ path: String) -> [String] {
        var (segments, current, depth): ([String], [UInt8], Int) = ([], [], 0)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth = max(depth - 1, 0)
            case UInt8(ascii: "/") where depth == 0:
                segments.append(String(decoding: current, as: UTF8.self))
                current = []
            default: if depth == 0 { current.append(byte) }
            }
        }
        return segments + [String(decoding: current, as: UTF8.self)]
    }
}
