import MAMSupport

/// URLs that a provider names: https only, and in visible ASCII.
enum SecureURL {
    private static let scheme = "https://"
    private static let longest = 2048

    /// Whether a text is https://HOST[:PORT][/PATH][?QUERY], without a user, and short.
    static func isValid(_ text: String) -> Bool {
        guard text.utf8.starts(with: scheme.utf8), VisibleText.is(text, upTo: longest) else { return false }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        let host = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let isHost = host.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || [".", "-", ":", "[", "]"].contains(UnicodeScalar($0))
        }
        return isHost && !host.isEmpty && host.first != UInt8(ascii: ":")
            && !rest.contains { [UInt8(ascii: "#"), UInt8(ascii: "\\"), UInt8(ascii: "\"")].contains($0) }
    }

    /// Whether two URLs have the same scheme, host and port.
    static func haveSameOrigin(_ a: String, _ b: String) -> Bool { origin(a) == origin(b) }

    private static func origin(_ url: String) -> [UInt8] {
        url.utf8.dropFirst(scheme.utf8.count).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }.map {
            Identity.fold($0)
        }
    }
}

/// Texts of visible ASCII characters.
enum VisibleText {
    /// Whether a text has 1 to `limit` visible ASCII characters and no others.
    static func `is`(_ text: String, upTo limit: Int) -> Bool {
        (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

/// A body of type application/x-www-form-urlencoded.
enum FormBody {
    /// Encode members; those without a value are left out.
    static func bytes(_ members: [(name: String, value: String?)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in members {
            guard let value else { continue }
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            append(name, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            append(value, to: &bytes)
        }
        return bytes
    }

    /// Read a query; nil where it is malformed or names a member twice.
    static func read(_ query: String) -> [String: String]? {
        var members: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(parts[0]), let value = decoded(parts.count == 2 ? parts[1] : ""),
                members.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return members
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard rest.count >= 2, let high = digit(rest.removeFirst()), let low = digit(rest.removeFirst()) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
    }
}
