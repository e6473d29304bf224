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

// Names are checked in every call that takes one, and most are plain.
private enum AccountNameRule {
    /// The rule that a name breaks, as a clause; nil where it breaks none.
    static func problem(_ name: String) -> String? {
        isPlain(name) ? nil : problemOfOther(name)
    }

    /// Whether a name has but letters, digits, "-" and "_", with "." and at most one "@" between them. It breaks no rule.
    private static func isPlain(_ name: String) -> Bool {
        var (isInLabel, hasSign) = (false, false)
        for byte in name.utf8 {
            guard !isOfLabel(byte) else {
                isInLabel = true
                continue
            }
            let isSign = byte == UInt8(ascii: "@")
            guard isInLabel, byte == UInt8(ascii: ".") || isSign && !hasSign else { return false }
            (isInLabel, hasSign) = (false, hasSign || isSign)
        }
        return isInLabel
    }

    private static func isOfLabel(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    private static func problemOfOther(_ name: String) -> String? {
        let scalars = name.unicodeScalars
        let ats = name.utf8.count { $0 == UInt8(ascii: "@") }
        if let found = scalars.first(where: isMark) { return "holds \(found), which no account id and no UPN has" }
        if scalars.contains(where: isInvisible) { return "holds a character that is not visible" }
        if scalars.contains(where: isSign) || hasEscapedSign(name) { return "holds another form of \"@\"" }
        guard ats > 0 else { return nil }
        guard ats == 1 else { return "holds \"@\" \(ats) times" }
        if scalars.contains(where: isSpace) { return "is an address with white space" }
        if let found = scalars.first(where: isForeign) { return "holds \(found), which no address has" }
        let parts = name.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty }) else { return "has nothing on one side of \"@\"" }
        return isDomain(Substring(parts[1])) ? nil : "does not end with a domain"
    }

    /// Whether text is a domain: labels of letters, digits, "-" and "_" between dots.
    static func isDomain(_ text: some StringProtocol) -> Bool {
        var isLabelEmpty = true
        for byte in text.utf8 {
            if byte == UInt8(ascii: ".") {
                if isLabelEmpty { return false }
                isLabelEmpty = true
            } else {
                guard byte >= 0x80 || isOfLabel(byte) else { return false }
                isLabelEmpty = false
            }
        }
        return !isLabelEmpty
            && !text.unicodeScalars.contains {
                !$0.isASCII && (isDot($0) || isSign($0) || isInvisible($0) || isSpace($0) || isAnotherForm($0))
            }
    }

    /// A mark around names, in headers of messages, texts, JSON and links.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "<", ">", "\"", "{", "}", "\u{AB}", "\u{BB}", "\u{201C}", "\u{201D}": true
        default: false
        }
    }

    /// A character that no address has beside it.
    private static func isForeign(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "(", ")", "[", "]", ",", ":", ";", "\\", "|": true
        default: false
        }
    }

    /// Another character that looks like "@".
    private static func isSign(_ scalar: Unicode.Scalar) -> Bool { scalar == "\u{FF20}" || scalar == "\u{FE6B}" }

    /// Another character that looks like a dot in a domain.
    private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{3002}" || scalar == "\u{FF0E}" || scalar == "\u{FF61}"
    }

    /// Whether a name has "@" as links write it.
    private static func hasEscapedSign(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        return bytes.contains(UInt8(ascii: "%")) && bytes.indices.contains { bytes[$0...].starts(with: "%40".utf8) }
    }

    /// Whether a character of a domain is another form of other characters: wide, raised, capital and not ASCII, or a mark of its own that
    /// a letter has in it. The sharp s and the final sigma are letters of domains.
    private static func isAnotherForm(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar != "\u{DF}", scalar != "\u{3C2}" else { return false }
        return scalar.properties.changesWhenNFKCCaseFolded || (0x300...0x36F).contains(scalar.value)
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else { return false }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint { return true }
        return switch properties.generalCategory {
        case .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: true
        default: false
        }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII ? scalar == " " || (0x09...0x0D).contains(scalar.value) : scalar.properties.isWhitespace
    }
}

extension Identity {
    /// Returns whether text can follow the "@" of an account's name.
    public static func isDomain(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count) && AccountNameRule.isDomain(text)
    }
}
