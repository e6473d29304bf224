import CJSONC

extension JSON {
    /// Longest text that is read by default, in bytes.
    public static let maximumLength = 4 << 20

    /// Read strict RFC 8259 text: at most `limit` bytes, 64 levels, no duplicate keys.
    public init(parsing text: some Collection<UInt8>, limit: Int = JSON.maximumLength) throws(MAMError) {
        self = try JSON.parse(Array(text), limit: limit)
    }

    /// Read strict RFC 8259 text.
    public init(parsing text: String, limit: Int = JSON.maximumLength) throws(MAMError) {
        self = try JSON.parse(Array(text.utf8), limit: limit)
    }

    private static func parse(_ bytes: [UInt8], limit: Int) throws(MAMError) -> JSON {
        try bytes.withUnsafeBufferPointer { (pointer) throws(MAMError) -> JSON in try parse(pointer, limit: limit) }
    }

    /// Read strict RFC 8259 text where it stands.
    public static func parse(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int = JSON.maximumLength) throws(MAMError)
        -> JSON
    {
        guard bytes.count <= limit else {
            throw MAMError(.json, "the JSON is \(bytes.count) bytes long; at most \(limit) are read")
        }
        let facts = try JSONScanner.check(bytes)
        var kept = 0
        let value = try ForkGate.shared.pass { () throws(MAMError) in
            try build(bytes, depth: facts.depth, keys: &kept)
        }
        // json-c keeps the last of two equal keys: then fewer were built than were read.
        guard kept == facts.keys else { throw MAMError(.json, "not valid JSON: an object has a key twice") }
        return value
    }

    /// json-c builds the tree; the scanner has already refused what json-c would let through.
    private static func build(_ bytes: UnsafeBufferPointer<UInt8>, depth: Int, keys: inout Int) throws(MAMError) -> JSON
    {
        guard let tokener = json_tokener_new_ex(Int32(depth) + 2) else {
            throw MAMError(.internal, "json-c gave no parser")
        }
        defer { json_tokener_free(tokener) }
        json_tokener_set_flags(tokener, JSON_TOKENER_STRICT)
        let root = bytes.withMemoryRebound(to: CChar.self) {
            json_tokener_parse_ex(tokener, $0.baseAddress, Int32($0.count))
        }
        defer { json_object_put(root) }
        // A lone number ends only where the text does: json-c then waits for more.
        let state = json_tokener_get_error(tokener)
        if state == json_tokener_continue {
            var end: CChar = 0
            let number = json_tokener_parse_ex(tokener, &end, 1)
            defer { json_object_put(number) }
            guard json_tokener_get_error(tokener) == json_tokener_success else {
                throw MAMError(.json, "not valid JSON")
            }
            return try convert(number, keys: &keys)
        }
        guard state == json_tokener_success else { throw MAMError(.json, "not valid JSON") }
        return try convert(root, keys: &keys)
    }

    private static func convert(_ object: OpaquePointer?, keys: inout Int) throws(MAMError) -> JSON {
        guard let object else { return .null }
        switch json_object_get_type(object) {
        case json_type_boolean: return .bool(json_object_get_boolean(object) != 0)
        case json_type_int: return .integer(json_object_get_int64(object))
        case json_type_double: return .decimal(text(json_object_to_json_string(object)))
        case json_type_string:
            let length = Int(json_object_get_string_len(object))
            guard let bytes = json_object_get_string(object) else { return .string("") }
            return .string(
                bytes.withMemoryRebound(to: UInt8.self, capacity: length) {
                    String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
                })
        case json_type_array:
            var elements: [JSON] = []
            elements.reserveCapacity(json_object_array_length(object))
            for index in 0..<json_object_array_length(object) {
                elements.append(try convert(json_object_array_get_idx(object, index), keys: &keys))
            }
            return .array(elements)
        case json_type_object:
            var members: [(key: String, value: JSON)] = []
            members.reserveCapacity(Int(json_object_object_length(object)))
            var entry = json_object_get_object(object)?.pointee.head
            while let current = entry {
                let key = current.pointee.k.map { text($0.assumingMemoryBound(to: CChar.self)) } ?? ""
                members.append((key, try convert(current.pointee.v.map { OpaquePointer($0) }, keys: &keys)))
                keys += 1
                entry = current.pointee.next
            }
            return .object(members)
        default: return .null
        }
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        pointer.map { String(nulTerminated: $0) } ?? ""
    }
}
