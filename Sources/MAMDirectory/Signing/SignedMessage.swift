import MAMSupport

/// The bytes that a signature covers: a sequence of values, each with its type and length, so that different rows never have equal
/// bytes; docs/formats.md, "Signatures of the authority".
struct SignedMessage {
    private(set) var bytes: [UInt8] = []

    /// Begin a message of a kind, of one authority.
    init(_ kind: StaticString, _ authority: String) {
        add(kind.description)
        add(authority)
    }

    /// Begin a part of a message.
    init() {}

    mutating func append(_ part: SignedMessage) { bytes += part.bytes }

    mutating func add(_ text: String) { add(Array(text.utf8)) }

    mutating func add(_ value: [UInt8]) {
        begin(2, UInt64(value.count))
        bytes += value
    }

    mutating func add(_ number: Int64) { begin(1, UInt64(bitPattern: number)) }

    mutating func addNull() { begin(0, 0) }

    /// Begin a list of `count` values.
    mutating func addList(_ count: Int) { begin(3, UInt64(count)) }

    mutating func add(_ value: SQLValue) {
        switch value {
        case .null: addNull()
        case .integer(let number): add(number)
        case .text(let text): add(text)
        case .blob(let bytes): add(bytes)
        }
    }

    /// Add a column of a row.
    mutating func add(_ row: any SQLRow, _ column: Int32) {
        if row.isNull(column) {
            addNull()
        } else if row.isInteger(column) {
            add(row.integer(column))
        } else {
            begin(2, UInt64(row.byteCount(column)))
            row.append(column, to: &bytes)
        }
    }

    private mutating func begin(_ type: UInt8, _ number: UInt64) {
        bytes.append(type)
        for shift: UInt64 in [56, 48, 40, 32, 24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}
