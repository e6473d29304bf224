import MAMSupport

/// The user and the password for a proxy: secret, in this process alone.
public struct ProxyCredentials: Sendable {
    /// Both, each with a zero behind it.
    private let bytes: SecretBytes
    private let userLength: Int

    /// Read USER:PASSWORD; nil without a colon, or with characters that a password cannot have.
    public init?(_ secret: SecretBytes) {
        let colon = secret.withSpan { bytes -> Int? in
            guard bytes.indices.allSatisfy({ bytes[$0] >= 0x20 && bytes[$0] != 0x7F }) else { return nil }
            return bytes.indices.first { bytes[$0] == UInt8(ascii: ":") }
        }
        guard let colon, colon > 0,
            let bytes = try? SecretBytes(
                count: secret.count + 1,
                filling: { memory in
                    secret.withUnsafeBytes { memory.copyMemory(from: $0) }
                    (memory[colon], memory[memory.count - 1]) = (0, 0)
                })
        else { return nil }
        (self.bytes, userLength) = (bytes, colon)
    }

    /// Access both as C strings; the pointers are valid during the call.
    func withPointers<R>(_ body: (UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> R) -> R {
        bytes.withUnsafeBytes { memory in
            let base = memory.assumingMemoryBound(to: CChar.self).baseAddress
            return body(base, base.map { $0 + userLength + 1 })
        }
    }
}
