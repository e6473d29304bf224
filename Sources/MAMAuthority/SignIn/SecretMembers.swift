import MAMSupport

/// The members of a provider's reply that are secret. They go from the reply to secret memory, and what is left is read as JSON: a JSON
/// value has its texts wherever Swift puts them, and does not zero them.
package struct SecretMembers {
    /// By name. Texts of visible ASCII characters alone: nothing else could be sent.
    package private(set) var values: [String: SecretBytes] = [:]
    /// The reply with "" for the values.
    package private(set) var rest: [UInt8] = []

    /// The members that a provider may have (RFC 6749, 8628, OpenID Connect Core 1.0).
    package static let names: Set = ["access_token", "refresh_token", "id_token", "device_code"]
    private static let quote = UInt8(ascii: "\"")
    private static let escape = UInt8(ascii: "\\")

    /// Take them out of a reply, which need not be JSON: whoever reads the rest finds that out.
    package init(_ reply: SecretBytes) throws(MAMError) {
        var (members, rest) = (SecretMembers(), [UInt8]())
        rest.reserveCapacity(reply.count)
        try reply.withUnsafeBytes { (bytes) throws(MAMError) in
            var (at, depth, name): (Int, Int, String?) = (0, 0, nil)
            while at < bytes.count {
                guard bytes[at] == SecretMembers.quote else {
                    switch bytes[at] {
                    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                    case UInt8(ascii: ","): name = nil
                    default: break
                    }
                    rest.append(bytes[at])
                    at += 1
                    continue
                }
                let text = SecretMembers.text(bytes, at + 1)
                let isMember = depth == 1 && name.map(SecretMembers.names.contains) ?? false
                if isMember, let name, let value = try SecretMembers.visible(bytes, text) {
                    // A second one of the same name is the reader's to refuse.
                    members.values[name] = value
                    rest += [SecretMembers.quote, SecretMembers.quote]
                } else {
                    // The longest name is short; values that are not secret may be names for all that this knows.
                    if depth == 1, name == nil { name = String(decoding: bytes[text].prefix(32), as: UTF8.self) }
                    rest += bytes[at..<min(text.upperBound + 1, bytes.count)]
                }
                at = text.upperBound + 1
            }
        }
        (values, self.rest) = (members.values, rest)
    }

    private init() {}

    /// The range of a text up to its closing quote, or to the end.
    private static func text(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Range<Int> {
        var at = start
        while at < bytes.count, bytes[at] != quote { at += bytes[at] == escape ? 2 : 1 }
        return start..<min(at, bytes.count)
    }

    /// The characters of a text; nil for any that is not of visible ASCII characters.
    private static func visible(_ bytes: UnsafeRawBufferPointer, _ text: Range<Int>) throws(MAMError) -> SecretBytes? {
        guard let count = characters(bytes, text, { _ in }), count > 0 else { return nil }
        return try SecretBytes(count: count) { memory in
            var at = 0
            _ = characters(bytes, text) { character in
                memory[at] = character
                at += 1
            }
        }
    }

    /// The number of characters; nil where there are others than visible ASCII ones.
    private static func characters(
        _ bytes: UnsafeRawBufferPointer, _ text: Range<Int>, _ body: (UInt8) -> Void
    ) -> Int? {
        var (at, count) = (text.lowerBound, 0)
        while at < text.upperBound {
            var (character, length) = (bytes[at], 1)
            if character == escape {
                guard let escaped = unescaped(bytes, at + 1, text.upperBound) else { return nil }
                (character, length) = escaped
            }
            guard character > 0x20, character < 0x7F else { return nil }
            body(character)
            (at, count) = (at + length, count + 1)
        }
        return count
    }

    /// The character behind a backslash and the length of both; nil for none that a token can have.
    private static func unescaped(
        _ bytes: UnsafeRawBufferPointer, _ at: Int, _ end: Int
    ) -> (character: UInt8, length: Int)? {
        guard at < end else { return nil }
        switch bytes[at] {
        case quote, escape, UInt8(ascii: "/"): return (bytes[at], 2)
        case UInt8(ascii: "u"):
            guard at + 4 < end, bytes[at + 1] == UInt8(ascii: "0"), bytes[at + 2] == UInt8(ascii: "0"),
                let high = bytes[at + 3].hexadecimalValue, let low = bytes[at + 4].hexadecimalValue
            else { return nil }
            return (high << 4 | low, 6)
        default: return nil
        }
    }
}
