/// The name of an account: its id or its UPN.
///
/// Equal when the UTF-8 bytes are equal with ASCII letters folded. No normalisation: one rule here, in SQL and in
/// the published answers (Swift's own string equality folds canonical equivalents).
public struct Identity: Sendable {
    /// As it was given.
    public let text: String
    /// The bytes that are compared.
    public let folded: [UInt8]

    /// Longest name in bytes: `MAM_ACCOUNT_MAX`.
    public static let maximumLength = 256

    /// A name, refused when it is empty, too long, or holds control characters or white space at an end.
    public init(_ text: String, argument: String = "account") throws(MAMError) {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, let last = bytes.last else {
            throw .argument(argument, "is empty; name an account id or a UPN")
        }
        guard bytes.count <= Identity.maximumLength else {
            throw .argument(argument, "is \(bytes.count) bytes long; at most \(Identity.maximumLength) are allowed")
        }
        // U+0080 to U+009F too: a terminal takes U+009B for the start of a command.
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }),
            !zip(bytes, bytes.dropFirst()).contains(where: { $0 == 0xC2 && $1 < 0xA0 })
        else {
            throw .argument(argument, "holds a control character")
        }
        guard first != 0x20, last != 0x20, first < 0x80 && last < 0x80 || !Identity.hasOuterSpace(text) else {
            throw .argument(argument, "begins or ends with white space")
        }
        self.text = text
        self.folded = Identity.fold(bytes)
    }

    private static func hasOuterSpace(_ text: String) -> Bool {
        let unicode = text.unicodeScalars
        return unicode.first?.properties.isWhitespace == true || unicode.last?.properties.isWhitespace == true
    }

    /// ASCII letters in lower case, every other byte as it is.
    public static func fold(_ bytes: [UInt8]) -> [UInt8] {
        var folded = bytes
        for index in folded.indices { folded[index] = fold(folded[index]) }
        return folded
    }

    /// The same of text.
    public static func fold(_ text: String) -> [UInt8] { fold(Array(text.utf8)) }

    /// An ASCII letter in lower case, any other byte as it is.
    public static func fold(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension Identity: Hashable {
    /// Whether two names mean one account.
    public static func == (a: Identity, b: Identity) -> Bool { a.folded == b.folded }
    /// The folded bytes count.
    public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}
