import MAMSupport

/// The path of a web link, parsed only if a list entry matches the host.
struct LinkPath {
    /// The path, up to the query or fragment.
    let range: Range<Int>
    /// Whether every server reads the same path.
    let isPlain: Bool

    init(of origin: WebOrigin, in bytes: [UInt8]) {
        range = origin.pathStart..<WebOrigin.endOfPath(in: bytes, from: origin.pathStart)
        isPlain = LinkPath.isPlain(bytes[range])
    }

    /// Returns whether every server reads the same path: there is no "." or ".." segment, and no encoded dot, slash, backslash,
    /// percent sign or control character.
    static func isPlain(_ bytes: ArraySlice<UInt8>) -> Bool {
        var segmentLength = 0, dots = 0, isInParameters = false
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "/"):
                if isDots(dots, of: segmentLength) { return false }
                (segmentLength, dots, isInParameters) = (0, 0, false)
            case UInt8(ascii: ";"): isInParameters = true  // some servers read "/..;/" as "/../"
            case UInt8(ascii: "%"):
                if hides(bytes, at: index) { return false }
                if !isInParameters { segmentLength += 1 }
            default:
                if isInParameters { continue }
                segmentLength += 1
                if byte == UInt8(ascii: ".") { dots += 1 }
            }
        }
        return !isDots(dots, of: segmentLength)
    }

    private static func isDots(_ dots: Int, of length: Int) -> Bool { dots == length && (dots == 1 || dots == 2) }

    /// Returns whether the two digits after a percent sign are missing, or encode a character that structures a path.
    private static func hides(_ bytes: ArraySlice<UInt8>, at index: Int) -> Bool {
        guard index + 1 < bytes.endIndex, let high = digit(bytes[index]), let low = digit(bytes[index + 1]) else {
            return true
        }
        return switch high << 4 | low {
        case 0...0x20, 0x7F, UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "%"),
            UInt8(ascii: ";"):
            true
        default: false
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        if byte.isASCIIDigit { return byte &- UInt8(ascii: "0") }
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter &+ 10 : nil
    }
}
