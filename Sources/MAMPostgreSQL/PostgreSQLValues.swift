import CPostgreSQL
import MAMSupport

/// The values of a statement in binary form, as PQexecParams takes them.
struct PostgreSQLValues {
    private var types: [UInt32] = []
    private var lengths: [Int32] = []
    private var offsets: [Int?] = []
    private var bytes: [UInt8] = []

    /// The types int8, text and bytea. That of NULL is left to the server.
    init(_ values: [SQLValue]) throws(MAMError) {
        for value in values {
            let begin = bytes.count
            switch value {
            case .null: types.append(0)
            case .integer(let number):
                types.append(20)
                for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
            case .text(let text):
                guard !text.utf8.contains(0) else {
                    throw .argument("text", "has the character U+0000, which PostgreSQL does not store")
                }
                types.append(25)
                bytes += text.utf8
            case .blob(let blob):
                types.append(17)
                bytes += blob
            }
            lengths.append(Int32(clamping: bytes.count - begin))
            if case .null = value { offsets.append(nil) } else { offsets.append(begin) }
        }
        // An empty value has an address too, or it would be NULL.
        bytes.append(0)
    }

    /// Run a statement with these values, for a result in binary form.
    func run(_ sql: String, _ library: postgresql_library_t, _ connection: OpaquePointer) -> OpaquePointer? {
        bytes.withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = offsets.map { offset in offset.flatMap { start?.advanced(by: $0) } }
            let formats = [Int32](repeating: 1, count: types.count)
            return library.run_with_values(connection, sql, Int32(types.count), types, pointers, lengths, formats, 1)
        }
    }
}
