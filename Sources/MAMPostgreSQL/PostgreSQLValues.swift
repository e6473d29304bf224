import CPostgreSQL
import MAMSupport

/// A list as one value, for `= ANY(?)` and `unnest(?)`.
package enum PostgreSQLList: Sendable {
    case texts([String?])
    case numbers([Int64])
}

/// The values of a statement in binary form, as PQexecParams takes them.
struct PostgreSQLValues {
    private var types: [UInt32] = []
    private var lengths: [Int32] = []
    private var offsets: [Int?] = []
    private var bytes: [UInt8] = []

    /// The types int8, text and bytea. That of NULL is left to the server.
    init(_ values: [SQLValue], after lists: [PostgreSQLList] = []) throws(MAMError) {
        for list in lists { try add(list) }
        for value in values {
            let begin = bytes.count
            switch value {
            case .null: types.append(0)
            case .integer(let number):
                types.append(20)
                append(number)
            case .text(let text):
                types.append(25)
                try append(text)
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

    private mutating func add(_ list: PostgreSQLList) throws(MAMError) {
        offsets.append(bytes.count)
        let begin = bytes.count
        switch list {
        case .texts(let texts):
            types.append(1009)
            appendHeader(of: 25, count: texts.count, hasNull: texts.contains(nil))
            for text in texts {
                // -1 is NULL.
                append(text.map { Int32(clamping: $0.utf8.count) } ?? -1)
                if let text { try append(text) }
            }
        case .numbers(let numbers):
            types.append(1016)
            appendHeader(of: 20, count: numbers.count, hasNull: false)
            for number in numbers {
                append(Int32(8))
                append(number)
            }
        }
        lengths.append(Int32(clamping: bytes.count - begin))
    }

    /// One dimension, whether NULL is among them, the type, the count and the first index.
    private mutating func appendHeader(of type: Int32, count: Int, hasNull: Bool) {
        for number in [1, hasNull ? 1 : 0, type, Int32(clamping: count), 1] { append(number) }
    }

    private mutating func append(_ text: String) throws(MAMError) {
        guard !text.utf8.contains(0) else {
            throw .argument("text", "has the character U+0000, which PostgreSQL does not store")
        }
        bytes += text.utf8
    }

    /// Big-endian.
    private mutating func append(_ number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Run a statement with these values, for a result in binary form.
    func run(_ sql: String, _ library: postgresql_library_t, _ connection: OpaquePointer) -> OpaquePointer? {
        withPointers { pointers, formats in
            library.run_with_values(connection, sql, Int32(types.count), types, pointers, lengths, formats, 1)
        }
    }

    /// Prepare a statement for values of these types.
    func prepare(
        _ name: String, _ sql: String, _ library: postgresql_library_t, _ connection: OpaquePointer
    ) -> OpaquePointer? {
        library.prepare(connection, name, sql, Int32(types.count), types)
    }

    /// Run a prepared statement with these values, for a result in binary form.
    func run(prepared name: String, _ library: postgresql_library_t, _ connection: OpaquePointer) -> OpaquePointer? {
        withPointers { pointers, formats in
            library.run_prepared(connection, name, Int32(types.count), pointers, lengths, formats, 1)
        }
    }

    private func withPointers(
        _ body: ([UnsafePointer<CChar>?], [Int32]) -> OpaquePointer?
    ) -> OpaquePointer? {
        bytes.withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = offsets.map { offset in offset.flatMap { start?.advanced(by: $0) } }
            return body(pointers, [Int32](repeating: 1, count: types.count))
        }
    }
}
