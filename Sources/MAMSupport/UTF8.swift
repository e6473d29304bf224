/// Whether bytes are valid UTF-8. Unlike `String(validating:as:)`, this does not copy bytes that may be secret.
public func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // Most texts are ASCII. The loop has no early exit, so that it can be vectorised.
    var all: UInt8 = 0
    for byte in bytes { all |= byte }
    if all < 0x80 { return true }
    var at = 0
    while at < bytes.count {
        let first = bytes[at]
        at += 1
        if first < 0x80 { continue }
        // The number of continuation bytes, and the range of the first.
        let (more, second): (Int, ClosedRange<UInt8>)
        switch first {
        case 0xC2...0xDF: (more, second) = (1, 0x80...0xBF)
        case 0xE0: (more, second) = (2, 0xA0...0xBF)
        case 0xED: (more, second) = (2, 0x80...0x9F)
        case 0xE1...0xEF: (more, second) = (2, 0x80...0xBF)
        case 0xF0: (more, second) = (3, 0x90...0xBF)
        case 0xF4: (more, second) = (3, 0x80...0x8F)
        case 0xF1...0xF3: (more, second) = (3, 0x80...0xBF)
        default: return false
        }
        guard bytes.count - at >= more, second.contains(bytes[at]) else { return false }
        for offset in 1..<max(more, 1) where bytes[at + offset] & 0xC0 != 0x80 { return false }
        at += more
    }
    return true
}

/// Whether bytes are UTF-8.
public func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    bytes.withUnsafeBufferPointer { isUTF8(UnsafeRawBufferPointer($0)) }
}

extension String {
    /// Whether the text comes before another one, by its bytes: without locale or normalisation.
    public func precedesByBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }

    /// Whether the text contains another one. (`contains` with a string would load the regular expression module.)
    public func mentions(_ other: String) -> Bool {
        let (all, part) = (Array(utf8), Array(other.utf8))
        guard part.count <= all.count else { return false }
        return (0...(all.count - part.count)).contains { all[$0...].starts(with: part) }
    }
}
