import CPostgreSQL
import MAMDirectory

/// A row of a result in binary form.
struct PostgreSQLRow: SQLRow {
    let library: postgresql_library_t
    let result: OpaquePointer
    let row: Int32

    /// The types bool, int2, int4 and int8.
    private static let integers: Set<UInt32> = [16, 20, 21, 23]

    private func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        guard !isNull(column), let value = library.value(result, row, column) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: value, count: byteCount(column))
    }

    func integer(_ column: Int32) -> Int64 {
        guard isInteger(column) else { return 0 }
        let bytes = bytes(column)
        guard let first = bytes.first else { return 0 }
        // Big-endian; the first byte has the sign.
        return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
    }

    func isInteger(_ column: Int32) -> Bool {
        !isNull(column) && PostgreSQLRow.integers.contains(library.type(result, column))
    }

    func isNull(_ column: Int32) -> Bool { library.is_null(result, row, column) != 0 }

    func text(_ column: Int32) -> String? {
        isNull(column) ? nil : String(validating: bytes(column), as: UTF8.self)
    }

    func byteCount(_ column: Int32) -> Int { Int(library.length(result, row, column)) }

    func append(_ column: Int32, to array: inout [UInt8]) { array.append(contentsOf: bytes(column)) }
}
