import MAMValues

/// A word of NSPredicate's language, as far as tests of types are concerned.
struct PredicateToken {
    enum Kind {
        /// A name, a path such as `$attachment.registeredTypeIdentifiers`, or an operator of letters.
        case word
        /// A text with its quotation marks.
        case string
        case open, close, comma
        /// Any other operator, such as `||`.
        case symbol
    }

    let kind: Kind
    let range: Range<Int>

    /// All tokens. A text without an end reaches to the end.
    static func all(_ bytes: [UInt8]) -> [PredicateToken] {
        var tokens: [PredicateToken] = []
        var at = 0
        while at < bytes.count {
            let start = at
            let kind: Kind
            switch bytes[at] {
            case UInt8(ascii: "("): (kind, at) = (.open, at + 1)
            case UInt8(ascii: ")"): (kind, at) = (.close, at + 1)
            case UInt8(ascii: ","): (kind, at) = (.comma, at + 1)
            case UInt8(ascii: "\""), UInt8(ascii: "'"): (kind, at) = (.string, endOfText(bytes, at))
            case let byte where byte <= 0x20:
                at += 1
                continue
            case let byte where isWord(byte):
                kind = .word
                while at < bytes.count, isWord(bytes[at]) || isHyphen(bytes, at) { at += 1 }
            default:
                kind = .symbol
                while at < bytes.count, !isWord(bytes[at]), bytes[at] > 0x20, !"(),\"'".utf8.contains(bytes[at]) {
                    at += 1
                }
            }
            tokens.append(PredicateToken(kind: kind, range: start..<at))
        }
        return tokens
    }

    private static func endOfText(_ bytes: [UInt8], _ start: Int) -> Int {
        var at = start + 1
        while at < bytes.count, bytes[at] != bytes[start] { at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1 }
        return min(at + 1, bytes.count)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte >= 0x80 || "_$@.#".utf8.contains(byte)
    }

    /// A hyphen between letters, as in UTI-CONFORMS-TO.
    private static func isHyphen(_ bytes: [UInt8], _ at: Int) -> Bool {
        guard bytes[at] == UInt8(ascii: "-"), at + 1 < bytes.count else { return false }
        return bytes[at - 1].isASCIILetter && bytes[at + 1].isASCIILetter
    }
}
