/// The first fault of text that is not strict JSON.
public struct JSONError: Error {
    /// The fault.
    public let message: String
    /// The offset in bytes; nil if the fault is not in one place.
    public let offset: Int?
}

/// Reads strict JSON (RFC 8259) in one pass. Also refuses what is unsafe for other readers: more than 64 levels, invalid UTF-8, lone
/// surrogates, NUL in strings, numbers out of range, and duplicate keys.
///
/// libmam and mamctl have no other reader. Parsing takes no lock and depends on no locale.
public struct JSONReader {
    /// The deepest nesting.
    static let maximumDepth = 64

    var bytes: JSONBytes
    private var duplicateKey: String?

    /// Read a whole text.
    public static func read(_ bytes: [UInt8]) throws(JSONError) -> JSON {
        var reader = JSONReader(bytes: JSONBytes(bytes))
        reader.bytes.skipSpace()
        let value = try reader.value(depth: 0)
        reader.bytes.skipSpace()
        if reader.bytes.next != nil { throw reader.bytes.error("there is more after the value") }
        if let key = reader.duplicateKey {
            // A key that cannot be shown as it is stays unnamed.
            let isPlain = key.utf8.count <= 80 && key.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
            throw JSONError(message: "an object has \(isPlain ? "the key \"\(key)\"" : "a key") twice", offset: nil)
        }
        return value
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSON {
        guard depth < JSONReader.maximumDepth else {
            throw bytes.error("nested deeper than \(JSONReader.maximumDepth) levels")
        }
        guard let first = bytes.next else { throw bytes.error("the text ends where a value should be") }
        switch first {
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try elements(depth: depth))
        case UInt8(ascii: "\""): return .string(try bytes.string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try bytes.number()
        default: throw bytes.error("unexpected character")
        }
    }

    private mutating func members(depth: Int) throws(JSONError) -> [JSON.Member] {
        var members: [JSON.Member] = []
        while try bytes.beginItem(members.isEmpty, end: UInt8(ascii: "}"), "brace") {
            guard bytes.next == UInt8(ascii: "\"") else { throw bytes.error("a key in double quotes is missing") }
            let key = try bytes.string()
            bytes.skipSpace()
            guard bytes.skip(UInt8(ascii: ":")) else { throw bytes.error("a colon is missing") }
            bytes.skipSpace()
            members.append((key, try value(depth: depth + 1)))
            bytes.skipSpace()
        }
        duplicateKey = duplicateKey ?? JSONReader.repeatedKey(members.map(\.key))
        return members
    }

    private mutating func elements(depth: Int) throws(JSONError) -> [JSON] {
        var elements: [JSON] = []
        while try bytes.beginItem(elements.isEmpty, end: UInt8(ascii: "]"), "bracket") {
            elements.append(try value(depth: depth + 1))
            bytes.skipSpace()
        }
        return elements
    }

    private mutating func word(_ word: String, _ value: JSON) throws(JSONError) -> JSON {
        for byte in word.utf8 {
            guard bytes.skip(byte) else { throw bytes.error("unexpected word") }
        }
        return value
    }

    /// A key whose bytes another one has too; nil where there is none.
    static func repeatedKey(_ keys: [String]) -> String? {
        guard keys.count > 8 else {
            for (i, key) in keys.enumerated() {
                for other in keys[..<i] where hasSameBytes(other, key) { return key }
            }
            return nil
        }
        let sorted = keys.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        for i in sorted.indices.dropFirst() where sorted[i] == sorted[i - 1] {
            return String(decoding: sorted[i], as: UTF8.self)
        }
        return nil
    }
}
