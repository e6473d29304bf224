extension XMLTokenizer {
    /// Call `each` with every byte of the characters that a text stands for, and with the offset of the byte or reference that it comes
    /// from. Fails at a reference to anything but a character.
    public static func characters(
        of text: Range<Int>, in bytes: [UInt8], _ each: (UInt8, Int) -> Void
    ) throws(XMLError) {
        var at = text.lowerBound
        while at < text.upperBound {
            guard bytes[at] == UInt8(ascii: "&") else {
                each(bytes[at], at)
                at += 1
                continue
            }
            let rest = bytes[(at + 1)..<min(at + 13, text.upperBound)]
            guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else {
                throw XMLError(message: "a reference has no end", offset: at)
            }
            guard let character = character(named: rest[..<end]) else {
                throw XMLError(message: "a reference that is none of XML's own", offset: at)
            }
            for byte in String(character).utf8 { each(byte, at) }
            at = end + 1
        }
    }

    private static func character(named name: ArraySlice<UInt8>) -> Unicode.Scalar? {
        let name = String(decoding: name, as: UTF8.self)
        if let known = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"][name] {
            return known.unicodeScalars.first
        }
        guard name.utf8.first == UInt8(ascii: "#") else { return nil }
        let digits = name.dropFirst()
        let isHexadecimal = digits.utf8.first == UInt8(ascii: "x")
        guard let number = UInt32(isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10),
            number >= 0x20 || number == 9 || number == 10 || number == 13
        else { return nil }
        return Unicode.Scalar(number)
    }
}
