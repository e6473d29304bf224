import CSealing
import MAMSupport

/// C2SP chunked-encryption v1 with HKDF-Expand-SHA-512 and AES-256-GCM: the construction of everything sealed by libmam;
/// docs/formats.md.
///
/// A sealed text is a salt, a commitment to key and context, and chunks of 16 KiB with their tags. Nothing is decrypted before the
/// commitment matches, and no output remains when a chunk fails.
public enum Cobblestone {
    /// The length of salt and commitment. Each chunk adds a tag of 16 bytes.
    public static let overhead = Int(SEALING_SALT + SEALING_COMMITMENT)
    static let chunk = Int(SEALING_CHUNK)
    static let tag = Int(SEALING_TAG)

    /// The length of the sealed text for `plain` bytes; nil on overflow.
    public static func sealedLength(_ plain: Int) -> Int? {
        guard plain >= 0 else { return nil }
        let (length, overflow) = plain.addingReportingOverflow(overhead + tag + plain / chunk * tag)
        return overflow ? nil : length
    }

    /// Whether a sealed text can have this length.
    static func isSealedLength(_ sealed: Int) -> Bool {
        sealed >= overhead + tag && (sealed - overhead) % (chunk + tag) >= tag
    }

    /// The length of the content of a sealed text. Fails with `.damaged` for an impossible length.
    public static func openedLength(_ sealed: Int) throws(MAMError) -> Int {
        guard isSealedLength(sealed) else { throw cut }
        let chunks = sealed - overhead
        return chunks / (chunk + tag) * chunk + chunks % (chunk + tag) - tag
    }

    private static var cut: MAMError { MAMError(.damaged, "no sealed text has this length: it was cut or extended") }

    /// Seal into memory of at least ``sealedLength(_:)`` bytes. Input and output may begin at the same address.
    public static func seal(
        _ plain: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer, key: SealingKey,
        into out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) {
        try seal(plain, context: context, key: key, salt: nil, into: out)
    }

    /// Same with a fixed salt, for tests; nil uses a random one.
    static func seal(
        _ plain: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer, key: SealingKey, salt: UnsafeRawPointer?,
        into out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) {
        guard let needed = sealedLength(plain.count), let to = out.baseAddress, out.count >= needed else {
            throw bufferTooSmall(sealedLength(plain.count) ?? .max)
        }
        let code = key.with {
            sealing_seal($0, context.baseAddress, context.count, salt, plain.baseAddress, plain.count, to)
        }
        try SealingStatus(code: code).check()
    }

    /// Open into memory of at least ``openedLength(_:)`` bytes. Input and output may begin at the same address. On failure `out` is
    /// zeroed.
    public static func open(
        _ sealed: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer, key: SealingKey,
        into out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) {
        do throws(MAMError) {
            let length = try openedLength(sealed.count)
            guard let from = sealed.baseAddress, out.count >= length else { throw bufferTooSmall(length) }
            let code = key.with {
                sealing_open($0, context.baseAddress, context.count, from, out.baseAddress, length)
            }
            try SealingStatus(code: code).check()
        } catch {
            out.zero()
            throw error
        }
    }

    /// Whether the commitment matches key, context and salt. This does not verify the chunks.
    static func commits(_ sealed: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer, key: SealingKey) -> Bool {
        guard sealed.count >= overhead, let from = sealed.baseAddress else { return false }
        return key.with { sealing_commitment_matches($0, context.baseAddress, context.count, from) }
    }
}
