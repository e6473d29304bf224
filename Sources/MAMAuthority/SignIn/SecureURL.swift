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

    /// The same of a secret.
    static func `is`(_ secret: SecretBytes, upTo limit: Int) -> Bool {
        (1...limit).contains(secret.count)
            && secret.withUnsafeBytes { $0.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
    }
}
