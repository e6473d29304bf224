import MAMSupport

extension PINRule {
    /// Longest PIN that is looked at, in bytes: as long as the longest that a policy can ask for.
    public static let longestPIN = 65_536

    /// Refuse what cannot be a PIN at all, before anything is done with it: by size first, so that it costs nothing.
    public static func check(_ pin: UnsafeRawBufferPointer, _ argument: String) throws(MAMError) {
        guard !pin.isEmpty else { throw .argument(argument, "is empty; a PIN has one character or more") }
        guard pin.count <= longestPIN else {
            throw .argument(argument, "has \(pin.count) bytes; a PIN has at most \(longestPIN)")
        }
        guard isUTF8(pin) else { throw .argument(argument, "is not UTF-8") }
        guard !pin.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw .argument(argument, "has a control character in it, a NUL or a newline perhaps")
        }
    }

    /// What a PIN that ``check(_:_:)`` let pass lacks. One that is set already may have more than digits where a numeric one
    /// is asked for: another app of the group may ask for a passcode.
    public func lacks(_ pin: UnsafeRawBufferPointer, isNew: Bool) -> [PINLack] {
        let shape = PINShape(pin)
        var lacks: [PINLack] = []
        if shape.length < minimumLength { lacks.append(.tooShort(minimum: minimumLength)) }
        switch kind {
        case .numeric:
            if isNew, shape.digits < shape.length { lacks.append(.notDigits) }
        case .passcode where isSimpleBlocked:
            if shape.digits == 0 { lacks.append(.noDigit) }
            if shape.letters == 0 { lacks.append(.noLetter) }
            if shape.specials == 0 { lacks.append(.noSpecial) }
        case .passcode:
            if shape.letters == 0, shape.specials == 0 { lacks.append(.noLetterOrSpecial) }
        }
        if isSimpleBlocked, shape.hasRun { lacks.append(.simple) }
        return lacks
    }
}

/// What of a PIN its rule looks at. Nothing of it is copied but the three characters in view.
private struct PINShape {
    private(set) var length = 0
    private(set) var digits = 0
    private(set) var letters = 0
    private(set) var specials = 0
    /// Whether three in a row are equal, ascend or descend.
    private(set) var hasRun = false

    private enum Class { case digit, letter, special }

    init(_ utf8: UnsafeRawBufferPointer) {
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

    /// The character at a place of valid UTF-8, and the place of the next.
    private static func scalar(_ utf8: UnsafeRawBufferPointer, _ at: inout Int) -> UInt32 {
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

    /// ASCII letters without case: aBc is a run as well.
    private static func folded(_ character: UInt32) -> UInt32 {
        (0x41...0x5A).contains(character) ? character | 0x20 : character
    }

    /// Beyond ASCII everything is a letter: no table is worth its memory here.
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
