import MAMSupport

/// Host names that list entries can match.
enum HostName {
    /// Returns whether a host consists of non-empty labels of letters, digits, "-" and "_", and does not end in a number, as an
    /// address does.
    static func isPlain(_ bytes: ArraySlice<UInt8>) -> Bool {
        var labelLength = 0, digits = 0
        for byte in bytes {
            if byte == UInt8(ascii: ".") {
                if labelLength == 0 { return false }
                (labelLength, digits) = (0, 0)
                continue
            }
            let isDigit = byte.isASCIIDigit
            guard
                isDigit || byte.isASCIILetter || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            else { return false }
            labelLength += 1
            if isDigit { digits += 1 }
        }
        return labelLength > 0 && digits < labelLength && !isHexadecimal(bytes)
    }

    /// Some programs parse "0x7f000001" and "127.0.0.0x1" as addresses.
    private static func isHexadecimal(_ bytes: ArraySlice<UInt8>) -> Bool {
        let last = bytes[(bytes.lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? bytes.startIndex)...]
        return last.first == UInt8(ascii: "0") && last.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
    }

    /// Returns the number of labels.
    static func labels(_ bytes: ArraySlice<UInt8>) -> Int { bytes.lazy.filter { $0 == UInt8(ascii: ".") }.count + 1 }
}
