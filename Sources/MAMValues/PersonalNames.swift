/// Names of people, and what stands in their place in a text for everybody.
public struct PersonalNames: Sendable {
    /// The place of an address that is no known name.
    public static let unknown = "(name)"

    private struct Entry {
        let folded: [UInt8]
        let replacement: String
    }
    /// The longest first, so that a name inside another one does not hide it.
    private let entries: [Entry]

    /// Names, each with its replacement. Empty names are left out.
    public init(_ names: [(name: String, replacement: String)] = []) {
        entries = names.map { Entry(folded: PersonalNames.folded($0.name), replacement: $0.replacement) }
            .filter { !$0.folded.isEmpty }.sorted { $0.folded.count > $1.folded.count }
    }

    /// The text with each name replaced, compared with ASCII letters folded, and with ``unknown`` in place of any other word that
    /// has the form of an address.
    public func replaced(in text: String) -> String {
        let bytes = PersonalNames.folded(text)
        let original = Array(text.utf8)
        var result: [UInt8] = []
        var place = 0
        while place < bytes.count {
            let isStart = place == 0 || !PersonalNames.isOfWord(bytes[place - 1])
            if isStart, let entry = entries.first(where: { isName($0.folded, at: place, in: bytes) }) {
                result += entry.replacement.utf8
                place += entry.folded.count
            } else if isStart, let length = PersonalNames.addressLength(at: place, in: bytes) {
                result += PersonalNames.unknown.utf8
                place += length
            } else {
                result.append(original[place])
                place += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Whether the name stands there as a whole word. A full stop behind it ends a sentence.
    private func isName(_ name: [UInt8], at place: Int, in text: [UInt8]) -> Bool {
        let end = place + name.count
        guard end <= text.count, text[place..<end].elementsEqual(name) else { return false }
        let next = end < text.count ? text[end] : UInt8(ascii: " ")
        guard next == UInt8(ascii: ".") else { return !PersonalNames.isOfWord(next) }
        return end + 1 >= text.count || !PersonalNames.isOfWord(text[end + 1])
    }

    /// The length of the word, if something stands before and behind an @ in it.
    private static func addressLength(at place: Int, in text: [UInt8]) -> Int? {
        var end = place
        var hasUser = false
        var isAddress = false
        while end < text.count, isOfWord(text[end]) || end > place && isApostrophe(at: end, in: text) {
            let isAt = text[end] == UInt8(ascii: "@")
            if hasUser, !isAt, text[end - 1] == UInt8(ascii: "@") { isAddress = true }
            if !isAt { hasUser = true }
            end += 1
        }
        while end > place, text[end - 1] == UInt8(ascii: ".") { end -= 1 }
        return isAddress ? end - place : nil
    }

    /// Letters, digits, everything beyond ASCII, and the marks that user names may have.
    private static func isOfWord(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte >= 0x80 || "@._+-%!#^~&*".utf8.contains(byte)
    }

    /// An apostrophe within a word; at an end it is a quotation mark.
    private static func isApostrophe(at place: Int, in text: [UInt8]) -> Bool {
        text[place] == UInt8(ascii: "'") && place + 1 < text.count && isOfWord(text[place + 1])
    }

    private static func folded(_ text: String) -> [UInt8] {
        text.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
    }
}
