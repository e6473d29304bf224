import CPlatform

/// Random bytes that are not secret. (Secret ones: ``SecretBytes/random(count:)``.)
public func randomBytes(_ count: Int) throws(MAMError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let isFilled = bytes.withUnsafeMutableBytes { memory in
        memory.baseAddress.map { platform_random($0, memory.count) } ?? true
    }
    guard isFilled else { throw MAMError(.crypto, "the system gives no random numbers") }
    return bytes
}

/// Lower-case hexadecimal digits.
public func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
