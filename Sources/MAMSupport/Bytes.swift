import CProcess

/// Returns random bytes that need not be secret. For keys, see ``SecretBytes/random(count:)``.
public func randomBytes(_ count: Int) throws(MAMError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let isFilled = bytes.withUnsafeMutableBytes { memory in
        memory.baseAddress.map { process_random($0, memory.count) } ?? true
    }
    guard isFilled else { throw MAMError(.crypto, "the system gives no random numbers") }
    return bytes
}

/// Returns lower-case hexadecimal digits.
public func hexadecimal(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.count)
    for byte in bytes { text += [hexadecimalDigit(byte >> 4), hexadecimalDigit(byte & 15)] }
    return String(decoding: text, as: UTF8.self)
}

private func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
}

/// Returns the bytes of hexadecimal digits; nil for any other text.
public func bytes(hexadecimal text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
        guard let byte = UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16) else {
            return nil
        }
        bytes.append(byte)
    }
    return bytes
}
