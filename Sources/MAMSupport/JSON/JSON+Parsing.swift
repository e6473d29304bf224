// Re-exported, so that every module that imports MAMSupport has the values.
@_exported import MAMValues

extension JSON {
    /// The value of a key; nil where this is not an object or has no such key. (In mamctl the subscript returns null instead.)
    @inlinable public subscript(key: String) -> JSON? { member(key) }

    /// The default limit of the text length, in bytes.
    public static let defaultLimit = 4 << 20

    /// Parse strict RFC 8259 text of at most `limit` bytes and 64 levels, without duplicate keys.
    public init(parsing text: some Collection<UInt8>, limit: Int = JSON.defaultLimit) throws(MAMError) {
        guard text.count <= limit else {
            throw MAMError(.json, "the JSON is \(text.count) bytes long; at most \(limit) are read")
        }
        do throws(JSONError) {
            self = try JSONReader.read(Array(text))
        } catch {
            guard let offset = error.offset else { throw MAMError(.json, "not valid JSON: \(error.message)") }
            throw MAMError(
                .json, "not valid JSON: \(error.message) at byte \(offset)", [("offset", .integer(Int64(offset)))])
        }
    }

    /// Parse strict RFC 8259 text.
    public init(parsing text: String, limit: Int = JSON.defaultLimit) throws(MAMError) {
        try self.init(parsing: text.utf8, limit: limit)
    }
}
