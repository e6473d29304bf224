import MAMValues

/// The lines of a text file, with their ends.
enum TextLines {
    /// The largest file, in bytes.
    static let maximumLength = 1 << 20

    /// The lines, each with its newline.
    static func of(_ bytes: [UInt8]) throws(ConfiguratorError) -> [Range<Int>] {
        try check(bytes)
        var lines: [Range<Int>] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
            lines.append(start..<end)
            start = end
        }
        return lines
    }

    /// Refuse what is no text in UTF-8, or too long.
    static func check(_ bytes: [UInt8]) throws(ConfiguratorError) {
        guard bytes.contains(where: { !$0.isXMLSpace }) else { throw ConfiguratorError("is empty") }
        guard bytes.count <= maximumLength else {
            throw ConfiguratorError("is \(bytes.count) bytes long; at most \(maximumLength) are read")
        }
        guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else {
            throw ConfiguratorError("is no text in UTF-8")
        }
    }

    /// The text of a range without white space at its ends.
    static func trimmed(_ range: Range<Int>, in bytes: [UInt8]) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, bytes[start].isXMLSpace { start += 1 }
        while end > start, bytes[end - 1].isXMLSpace { end -= 1 }
        return start..<end
    }

    static func text(_ range: Range<Int>, in bytes: [UInt8]) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
