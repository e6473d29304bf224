/// A value of an XML or binary property list, with its place in the bytes that it was read from.
public struct PropertyList: Sendable {
    /// A value by its type.
    public enum Kind: Sendable {
        case boolean(Bool)
        case integer(Int64)
        case real(Double)
        case string(String)
        case array([PropertyList])
        case dictionary([Member])
        /// A date; its value is not read.
        case date
        /// Bytes; their value is not read.
        case data
        /// A UID of a keyed archive; its value is not read.
        case uid
    }

    /// A key of a dictionary, and its value.
    public typealias Member = (key: String, value: PropertyList)

    /// Where a value was read.
    public struct Source: Sendable {
        /// The element of an XML list, with its tags, or the object of a binary one. A container of a binary list has its references
        /// here and its values elsewhere.
        public let value: Range<Int>
        /// The same, from the beginning of the key if this is a value of an XML dictionary.
        public let member: Range<Int>
    }

    /// The value.
    public let kind: Kind
    /// The place; nil for a value that was not read.
    public let source: Source?

    init(_ kind: Kind, source: Source?) {
        self.kind = kind
        self.source = source
    }

    /// A value that was not read.
    public init(_ kind: Kind) { self.init(kind, source: nil) }

    /// The largest file, in bytes.
    public static let maximumLength = 4 << 20
    /// The deepest nesting.
    static let maximumDepth = XMLTokenizer.maximumDepth
    /// The largest number of values, where values that a binary list shares count each time.
    static let maximumCount = 1 << 16

    /// Whether bytes begin as a binary property list does.
    public static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist".utf8) }

    /// Read an XML or binary property list. Takes no lock and calls no library.
    ///
    /// Fails for more than 4 MiB, 64 levels or 65,536 values and keys, for text that is not UTF-8, declarations of entities, references that
    /// lead outside or back, and for a dictionary with a key twice.
    public init(_ bytes: [UInt8]) throws(PropertyListError) {
        guard bytes.count <= PropertyList.maximumLength else {
            throw PropertyListError("is \(bytes.count) bytes long; at most \(PropertyList.maximumLength) are read")
        }
        self =
            PropertyList.isBinary(bytes)
            ? try BinaryPropertyListReader.read(bytes) : try XMLPropertyListReader.read(bytes)
    }
}

extension PropertyList {
    /// A boolean.
    public static func boolean(_ value: Bool) -> PropertyList { PropertyList(.boolean(value)) }
    /// A whole number.
    public static func integer(_ value: Int64) -> PropertyList { PropertyList(.integer(value)) }
    /// A number.
    public static func real(_ value: Double) -> PropertyList { PropertyList(.real(value)) }
    /// A text.
    public static func string(_ value: String) -> PropertyList { PropertyList(.string(value)) }
    /// An array.
    public static func array(_ elements: [PropertyList]) -> PropertyList { PropertyList(.array(elements)) }
    /// A dictionary.
    public static func dictionary(_ members: [Member]) -> PropertyList { PropertyList(.dictionary(members)) }

    /// The name of the type for messages: "boolean", "integer", "real", "string", "array", "dictionary", "date", "data" or "uid".
    public var typeName: String {
        switch kind {
        case .boolean: "boolean"
        case .integer: "integer"
        case .real: "real"
        case .string: "string"
        case .array: "array"
        case .dictionary: "dictionary"
        case .date: "date"
        case .data: "data"
        case .uid: "uid"
        }
    }

    /// The text of a string, else nil.
    public var string: String? { if case .string(let text) = kind { text } else { nil } }
    /// The elements, where this is an array.
    public var array: [PropertyList]? { if case .array(let elements) = kind { elements } else { nil } }
    /// The members in order, where this is a dictionary.
    public var dictionary: [Member]? { if case .dictionary(let members) = kind { members } else { nil } }

    /// The value of a key; nil where this is not a dictionary or has no such key.
    public subscript(key: String) -> PropertyList? {
        dictionary?.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// The value as JSON; nil where a part has no equivalent: dates, data, UIDs and reals that are not finite.
    public var json: JSON? {
        switch kind {
        case .boolean(let value): return .bool(value)
        case .integer(let number): return .integer(number)
        case .real(let number): return number.isFinite ? .decimal("\(number)") : nil
        case .string(let text): return .string(text)
        case .array(let elements):
            let values = elements.compactMap(\.json)
            return values.count == elements.count ? .array(values) : nil
        case .dictionary(let members):
            let values = members.compactMap { member in member.value.json.map { (key: member.key, value: $0) } }
            return values.count == members.count ? .object(values) : nil
        case .date, .data, .uid: return nil
        }
    }
}
