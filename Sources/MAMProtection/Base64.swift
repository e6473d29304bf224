/// Canonical RFC 4648 base64 with padding.
public enum Base64 {
    /// The reason why a text is refused.
    public enum Failure: Error {
        /// No decoder accepts the text.
        case notBase64
        /// A lenient decoder accepts the text: white space, missing padding, the URL alphabet, or nonzero trailing bits.
        case notCanonical
    }

    /// The length of the text for `count` bytes; nil on overflow.
    public static func encodedLength(_ count: Int) -> Int? {
        guard count >= 0 else { return nil }
        let (length, overflow) = ((count - 1) / 3 + 1).multipliedReportingOverflow(by: 4)
        return count == 0 ? 0 : overflow ? nil : length
    }

    /// Encode bytes; nil on overflow.
    public static func encode(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let length = encodedLength(bytes.count) else { return nil }
        return [UInt8](unsafeUninitializedCapacity: length) { out, count in
            encode(bytes, into: UnsafeMutableRawBufferPointer(out))
            count = length
        }
    }

    /// Encode bytes into memory of at least ``encodedLength(_:)`` bytes. Returns false if it is too short.
    @discardableResult
    public static func encode(_ bytes: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer) -> Bool {
        guard let length = encodedLength(bytes.count), out.count >= length else { return false }
        alphabet.withUTF8Buffer { digits in
            var (from, to) = (0, 0)
            while from < bytes.count {
                let left = bytes.count - from
                let (second, third) = (left > 1 ? bytes[from + 1] : 0, left > 2 ? bytes[from + 2] : 0)
                let group = Int(bytes[from]) << 16 | Int(second) << 8 | Int(third)
                out[to] = digits[group >> 18]
                out[to + 1] = digits[group >> 12 & 63]
                out[to + 2] = left > 1 ? digits[group >> 6 & 63] : padding
                out[to + 3] = left > 2 ? digits[group & 63] : padding
                (from, to) = (from + 3, to + 4)
            }
        }
        return true
    }

    /// Decode a text.
    public static func decode(_ text: UnsafeRawBufferPointer) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: decodedLength(text))
        guard bytes.withUnsafeMutableBytes({ fill(text, $0) }) else { throw reason(text) }
        return bytes
    }

    /// Decode a text into memory of at least ``decodedLength(_:)`` bytes.
    public static func decode(
        _ text: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer
    ) throws(Failure) {
        guard out.count >= decodedLength(text), fill(text, out) else { throw reason(text) }
    }

    /// The number of bytes in a canonical text of this length and ending.
    public static func decodedLength(_ text: UnsafeRawBufferPointer) -> Int {
        text.count / 4 * 3 - (text.count < 4 ? 0 : text.suffix(2).count { $0 == padding })
    }

    /// Decode a canonical text. Returns false for any other.
    private static func fill(_ text: UnsafeRawBufferPointer, _ out: UnsafeMutableRawBufferPointer) -> Bool {
        guard text.count % 4 == 0 else { return false }
        let length = decodedLength(text)
        var (from, to) = (0, 0)
        while from < text.count {
            let left = min(length - to, 3)
            var group = 0
            for offset in 0...left {
                guard let digit = value(text[from + offset]) else { return false }
                group |= Int(digit) << (18 - 6 * offset)
            }
            guard group & (0xff_ffff >> (8 * left)) == 0 else { return false }
            for offset in left + 1..<4 where text[from + offset] != padding { return false }
            for offset in 0..<left { out[to + offset] = UInt8(truncatingIfNeeded: group >> (16 - 8 * offset)) }
            (from, to) = (from + 4, to + left)
        }
        return true
    }

    /// The reason why a text is not canonical.
    private static func reason(_ text: UnsafeRawBufferPointer) -> Failure {
        var (digits, ended) = (0, false)
        for byte in text {
            switch byte {
            case padding: ended = true
            case 9, 10, 13, 32: continue
            case UInt8(ascii: "-"), UInt8(ascii: "_"): digits += 1
            default:
                guard value(byte) != nil else { return .notBase64 }
                digits += 1
            }
            if ended, byte != padding { return .notBase64 }
        }
        return digits == 0 || digits % 4 == 1 ? .notBase64 : .notCanonical
    }

    private static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    private static let padding = UInt8(ascii: "=")
    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
}
