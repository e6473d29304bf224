import MAMMessages

/// The nonce that a server wants in the proof of a key (DPoP, RFC 9449 8 and 9): the reply refuses a request for want of it, and states
/// it. Nobody has to have signed that: a nonce is repeated once, in a proof that is good for the same request alone.
package enum WantedNonce {
    static let error = "use_dpop_nonce"
    private static let scheme = "dpop"
    private static let longest = 512

    /// The nonce that a reply states, wanted or not; nil for none that could be used.
    package static func stated(in fields: [MessageField]) -> String? {
        let stated = fields.filter { $0.name == "dpop-nonce" }
        guard stated.count == 1, let value = stated.first?.value, VisibleText.is(value, upTo: longest) else {
            return nil
        }
        return value
    }

    /// Whether a challenge in WWW-Authenticate wants a nonce.
    package static func isWanted(_ fields: [MessageField]) -> Bool {
        fields.contains { $0.name == "www-authenticate" && challenges($0.value).contains { $0 == (scheme, error) } }
    }

    /// The scheme and the error of each challenge of a field (RFC 9110 11.6.1); "" for no error. Malformed text is no challenge.
    private static func challenges(_ text: String) -> [(scheme: String, error: String)] {
        var challenges: [(scheme: String, error: String)] = []
        for item in items(text) {
            // "Scheme", "Scheme parameter" or "parameter".
            let words = item.split(separator: " ", maxSplits: 1).map(String.init)
            let isParameter = words.first?.utf8.contains(UInt8(ascii: "=")) ?? true
            if !isParameter, let scheme = words.first { challenges.append((lowercased(scheme), "")) }
            guard let parameter = isParameter ? item : words.dropFirst().first, let last = challenges.indices.last
            else { continue }
            let parts = parameter.split(separator: "=", maxSplits: 1).map { trimmed($0) }
            if parts.count == 2, lowercased(parts[0]) == "error" { challenges[last].error = unquoted(parts[1]) }
        }
        return challenges
    }

    /// The items between commas that are in no quotes.
    private static func items(_ text: String) -> [String] {
        var (items, item, isQuoted, isEscaped): ([String], [UInt8], Bool, Bool) = ([], [], false, false)
        for byte in text.utf8 {
            if byte == UInt8(ascii: ","), !isQuoted {
                items.append(trimmed(String(decoding: item, as: UTF8.self)))
                item = []
                continue
            }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
            item.append(byte)
        }
        return items + [trimmed(String(decoding: item, as: UTF8.self))]
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        let rest = text.utf8.drop(while: isSpace)
        return String(decoding: rest.reversed().drop(while: isSpace).reversed(), as: UTF8.self)
    }

    private static func unquoted(_ text: String) -> String {
        text.utf8.count >= 2 && text.utf8.first == UInt8(ascii: "\"") && text.utf8.last == UInt8(ascii: "\"")
            ? String(text.dropFirst().dropLast()) : text
    }

    private static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
