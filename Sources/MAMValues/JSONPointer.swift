/// A JSON Pointer (RFC 6901): the keys and indices that lead from a value to one inside it.
public struct JSONPointer: Sendable {
    /// The keys and indices in UTF-8, without escapes.
    public let tokens: [[UInt8]]

    /// Parse the text of a pointer; nil where it is malformed: it is not empty and has no "/" at its start, or a "~" is followed by
    /// neither "0" nor "1".
    public init?(_ text: some Sequence<UInt8>) {
        var tokens: [[UInt8]] = []
        var token: [UInt8]?
        var isEscaping = false
        for byte in text {
            if isEscaping {
                guard byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else { return nil }
                token?.append(byte == UInt8(ascii: "0") ? UInt8(ascii: "~") : UInt8(ascii: "/"))
                isEscaping = false
            } else if byte == UInt8(ascii: "/") {
                if let token { tokens.append(token) }
                token = []
            } else if token == nil {
                return nil
            } else if byte == UInt8(ascii: "~") {
                isEscaping = true
            } else {
                token?.append(byte)
            }
        }
        guard !isEscaping else { return nil }
        if let token { tokens.append(token) }
        self.tokens = tokens
    }

    /// The index of an array's element that a token names: decimal digits without leading zeros. Nil for "-", the element behind the
    /// last one, and where the number does not fit.
    public static func index(_ token: [UInt8]) -> Int? {
        guard let first = token.first, first != UInt8(ascii: "0") || token.count == 1 else { return nil }
        var index = 0
        for byte in token {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            let (tenfold, isTooLarge) = index.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tenfold.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
            if isTooLarge || overflows { return nil }
            index = sum
        }
        return index
    }
}
