import MAMSupport

extension PINRule {
    /// The maximum length of a PIN in bytes, which allows for the longest minimum that a policy can set.
    public static let maximumPINLength = 65_536

    /// Checks that an argument can be a PIN at all. The size comes first, because it costs nothing.
    public static func check(_ pin: Span<UInt8>, _ argument: String) throws(MAMError) {
        guard !pin.isEmpty else { throw .argument(argument, "is empty; a PIN has one character or more") }
        guard pin.count <= maximumPINLength else {
            throw .argument(argument, "has \(pin.count) bytes; a PIN has at most \(maximumPINLength)")
        }
        guard isUTF8(pin) else { throw .argument(argument, "is not UTF-8") }
        guard pin.indices.allSatisfy({ pin[$0] >= 0x20 && pin[$0] != 0x7F }) else {
            throw .argument(argument, "has a control character in it, a NUL or a newline perhaps")
        }
    }

    /// Returns the requirements that a PIN does not meet; ``check(_:_:)`` comes first. An existing PIN may contain more than
    /// digits although a numeric one is required: another app of the group may require a passcode.
    public func violations(in pin: Span<UInt8>, isNew: Bool) -> [PINViolation] {
        let shape = PINShape(pin)
        var violations: [PINViolation] = []
        if shape.length < minimumLength { violations.append(.tooShort(minimum: minimumLength)) }
        switch kind {
        case .numeric:
            if isNew, shape.digits < shape.length { violations.append(.notDigits) }
        case .passcode where isSimpleBlocked:
            if shape.digits == 0 { violations.append(.noDigit) }
            if shape.letters == 0 { violations.append(.noLetter) }
            if shape.specials == 0 { violations.append(.noSpecial) }
        case .passcode:
            if shape.letters == 0, shape.specials == 0 { violations.append(.noLetterOrSpecial) }
        }
        if isSimpleBlocked, shape.hasRun { violations.append(.simple) }
        return violations
    }
}

/// The properties of a PIN that rules depend on. Only three characters of the PIN are copied at a time.
private struct PINShape {
    private(set) var length = 0
    private(set) var digits = 0
    private(set) var letters = 0
    private(set) var specials = 0
    /// Whether three characters in a row are equal, ascending or descending.
    private(set) var hasRun = false

    private enum Class { case digit, letter, special }

    init(_ utf8: Span<UInt8>) {
        var (first, second): (UInt32, UInt32) = (0, 0)
        var at = 0
        while at < utf8.count {
            let character = PINShape.folded(PINShape.scalar(utf8, &at))
            length += 1
            switch PINShape.class(of: character) {
            case .digit: digits += 1
            case .letter: letters += 1
            case .special: specials += 1
            }
            if length >= 3, PINShape.isRun(first, second, character) { hasRun = true }
            (first, second) = (second, character)
        }
    }

    /// Decodes the scalar at an offset of valid UTF-8, and advances the offset.
    private static func scalar(_ utf8: Span<UInt8>, _ at: inout Int) -> UInt32 {
        let lead = UInt32(utf8[at])
        at += 1
        guard lead >= 0xC0 else { return lead }
        let more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1
        var value = lead & (0x3F >> UInt32(more))
        for _ in 0..<more where at < utf8.count {
            value = value << 6 | UInt32(utf8[at]) & 0x3F
            at += 1
        }
        return value
    }

    /// Folds ASCII letters, so that aBc is a run.
    private static func folded(_ character: UInt32) -> UInt32 {
        (0x41...0x5A).contains(character) ? character | 0x20 : character
    }

    /// Classifies a scalar. Everything beyond ASCII counts as a letter: a table is not worth its memory.
    private static func `class`(of character: UInt32) -> Class {
        switch character {
        case 0x30...0x39: .digit
        case 0x61...0x7A: .letter
        case 0..<0x80: .special
        default: .letter
        }
    }

    private static func isRun(_ a: UInt32, _ b: UInt32, _ c: UInt32) -> Bool {
        if a == b, b == c { return true }
        let kind = PINShape.class(of: a)
        guard kind != .special, kind == PINShape.class(of: b), kind == PINShape.class(of: c) else { return false }
        return a &+ 1 == b && b &+ 1 == c || c &+ 1 == b && b &+ 1 == a
    }
}
