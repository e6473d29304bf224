/// Reads an input from its beginning; zeros follow its end.
struct Input {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }
    var rest: ArraySlice<UInt8> { bytes[min(position, bytes.count)...] }

    mutating func byte() -> UInt8 {
        defer { position += 1 }
        return position < bytes.count ? bytes[position] : 0
    }

    /// A big-endian number of `size` bytes.
    mutating func number(size: Int) -> UInt64 {
        var value: UInt64 = 0
        for _ in 0..<size { value = value << 8 | UInt64(byte()) }
        return value
    }

    /// At most `count` bytes.
    mutating func bytes(_ count: Int) -> ArraySlice<UInt8> {
        defer { position += count }
        return rest.prefix(count)
    }
}

/// The `size` bytes of a number, the most significant first.
func bigEndian(_ value: UInt64, size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
}
