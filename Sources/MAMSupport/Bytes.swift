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
    for byte in bytes {
        text.append(hexadecimalDigit(byte >> 4))
        text.append(hexadecimalDigit(byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
}

private func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
}

/// Returns the bytes of hexadecimal digits; nil for any other text.
public func bytes(hexadecimal text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 2)
    var high: UInt8?
    for digit in text.utf8 {
        guard let value = digit.hexadecimalValue else { return nil }
        if let first = high { bytes.append(first << 4 | value) }
        high = high == nil ? value : nil
    }
    return high == nil ? bytes : nil
}
