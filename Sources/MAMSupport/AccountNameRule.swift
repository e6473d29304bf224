/// The names that an account can have. Whatever a host reads around a name, from a message's header or a link for instance, would make it
/// another person's, and store the account's data in the clear.
extension Identity {
    /// Create the name of an account that a host or an administrator gives. Fails also for a name with characters that no account id and
    /// no UPN has, and for an address that is not one. Names that are stored already are not held to this.
    public init(account text: String, argument: String = "account") throws(MAMError) {
        try self.init(text, argument: argument)
        guard let problem = AccountNameRule.problem(text) else { return }
        throw Identity.invalid(
            argument, "\(problem); name the account id or the UPN alone, such as ann@contoso.example")
    }
}

private enum AccountNameRule {
    /// Marks around names, in headers of messages, texts, JSON and links.
    private static let marks: Set<Unicode.Scalar> = [
        "<", ">", "\"", "{", "}", "\u{AB}", "\u{BB}", "\u{201C}", "\u{201D}",
    ]
    /// Characters that no address has beside them.
    private static let foreign: Set<Unicode.Scalar> = ["(", ")", "[", "]", ",", ":", ";", "\\", "|"]
    /// Other characters that look like "@", or like a dot in a domain.
    private static let signs: Set<Unicode.Scalar> = ["\u{FF20}", "\u{FE6B}"]
    private static let dots: Set<Unicode.Scalar> = ["\u{3002}", "\u{FF0E}", "\u{FF61}"]

    /// The rule that a name breaks, as a clause; nil where it breaks none.
    static func problem(_ name: String) -> String? {
        let bytes = Array(name.utf8)
        let ats = bytes.count { $0 == UInt8(ascii: "@") }
        if let found = name.unicodeScalars.first(where: { marks.contains($0) }) {
            return "holds \(found), which no account id and no UPN has"
        }
        if !bytes.allSatisfy({ $0 < 0x80 }), name.unicodeScalars.contains(where: isInvisible) {
            return "holds a character that is not visible"
        }
        if name.unicodeScalars.contains(where: { signs.contains($0) }) || contains(bytes, "%40") {
            return "holds another form of \"@\""
        }
        guard ats > 0 else { return nil }
        guard ats == 1 else { return "holds \"@\" \(ats) times" }
        if name.unicodeScalars.contains(where: \.properties.isWhitespace) { return "is an address with white space" }
        if let found = name.unicodeScalars.first(where: { foreign.contains($0) }) {
            return "holds \(found), which no address has"
        }
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty }) else { return "has nothing on one side of \"@\"" }
        return isDomain(String(decoding: parts[1], as: UTF8.self)) ? nil : "does not end with a domain"
    }

    /// Whether text is a domain: labels of letters, digits, "-" and "_" between dots.
    static func isDomain(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let areLabels = labels.allSatisfy { label in
            !label.isEmpty
                && label.allSatisfy {
                    $0 >= 0x80 || $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-")
                        || $0 == UInt8(ascii: "_")
                }
        }
        return areLabels
            && !text.unicodeScalars.contains {
                dots.contains($0) || signs.contains($0) || isInvisible($0) || $0.properties.isWhitespace
                    || isAnotherForm($0)
            }
    }

    /// Whether a character of a domain is another form of other characters: wide, raised, capital and not ASCII, or a mark of its own that
    /// a letter has in it. The sharp s and the final sigma are letters of domains.
    private static func isAnotherForm(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII, scalar != "\u{DF}", scalar != "\u{3C2}" else { return false }
        return scalar.properties.changesWhenNFKCCaseFolded || (0x300...0x36F).contains(scalar.value)
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isDefaultIgnorableCodePoint
            || [.format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate]
                .contains(scalar.properties.generalCategory)
    }

    private static func contains(_ bytes: [UInt8], _ text: StaticString) -> Bool {
        let wanted = text.withUTF8Buffer { Array($0) }
        return bytes.indices.contains { bytes[$0...].starts(with: wanted) }
    }
}

extension Identity {
    /// Returns whether text can follow the "@" of an account's name.
    public static func isDomain(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count) && AccountNameRule.isDomain(text)
    }
}
