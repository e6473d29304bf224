/// The name of an account: its account id or its UPN.
///
/// Names are equal when their UTF-8 bytes are equal with ASCII letters folded, without Unicode normalisation. The same rule applies
/// in SQL and in the published policy bits. Swift's own string equality would also fold canonical equivalents.
public struct Identity: Sendable {
    /// The name as it was given.
    public let text: String
    /// The folded bytes, used for comparison.
    public let folded: [UInt8]
    /// The name that the host gave, where the account id took its place. It still counts once the id is nobody's any more.
    public private(set) var given: String?

    /// The longest name in bytes, as `MAM_ACCOUNT_MAX`.
    public static let maximumLength = 256

    /// Fails for a name that is empty, too long, or has control characters or outer white space.
    public init(_ text: String, argument: String = "account") throws(MAMError) {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, let last = bytes.last else {
            throw Identity.invalid(argument, "is empty; name an account id or a UPN")
        }
        guard bytes.count <= Identity.maximumLength else {
            throw Identity.invalid(
                argument, "is \(bytes.count) bytes long; at most \(Identity.maximumLength) are allowed")
        }
        // C1 controls are refused as well, because terminals interpret U+009B as the start of a command.
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }),
            !zip(bytes, bytes.dropFirst()).contains(where: { $0 == 0xC2 && $1 < 0xA0 })
        else {
            throw Identity.invalid(argument, "holds a control character")
        }
        guard first != 0x20, last != 0x20, first < 0x80 && last < 0x80 || !Identity.hasOuterSpace(text) else {
            throw Identity.invalid(argument, "begins or ends with white space")
        }
        self.text = text
        self.folded = Identity.fold(bytes)
    }

    /// Returns an account id in place of this name.
    public func replaced(by accountId: String) throws(MAMError) -> Identity {
        guard !text.utf8.elementsEqual(accountId.utf8) else { return self }
        var identity = try Identity(accountId)
        guard identity != self else { return self }
        identity.given = given ?? text
        return identity
    }

    /// A person may have typed the name.
    static func invalid(_ argument: String, _ message: String) -> MAMError {
        .argument(argument, message, for: .errorInvalidName)
    }

    private static func hasOuterSpace(_ text: String) -> Bool {
        let unicode = text.unicodeScalars
        return unicode.first?.properties.isWhitespace == true || unicode.last?.properties.isWhitespace == true
    }

    /// Returns bytes with ASCII letters in lower case.
    public static func fold(_ bytes: [UInt8]) -> [UInt8] {
        bytes.map(fold)
    }

    /// Returns the UTF-8 bytes of a text with ASCII letters in lower case.
    public static func fold(_ text: String) -> [UInt8] { fold(Array(text.utf8)) }

    /// Returns an ASCII letter in lower case, or any other byte unchanged.
    public static func fold(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension Identity: Hashable {
    /// Whether two names are of the same account.
    public static func == (a: Identity, b: Identity) -> Bool { a.folded == b.folded }
    /// Hashes the folded bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}
