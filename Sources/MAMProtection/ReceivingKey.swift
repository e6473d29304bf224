import CSealing
import MAMSupport

/// An X25519 key that opens what was encrypted to it by HPKE (RFC 9180): base mode, HKDF-SHA256, AES-256-GCM.
public struct ReceivingKey: Sendable {
    /// The public key, 32 bytes.
    public let publicKey: [UInt8]
    private let secret: SecretBytes

    /// A new random key.
    public init() throws(MAMError) { try self.init(SecretBytes.random(count: ReceivingKey.length)) }

    /// A key of 32 secret bytes.
    public init(_ secret: SecretBytes) throws(MAMError) {
        var publicKey = [UInt8](repeating: 0, count: ReceivingKey.length)
        let isDone = secret.withUnsafeBytes { secret in
            publicKey.withUnsafeMutableBytes { out in
                guard secret.count == out.count, let secret = secret.baseAddress, let out = out.baseAddress else {
                    return false
                }
                return sealing_x25519_public(secret, out)
            }
        }
        guard isDone else { throw MAMError(.crypto, "libcrypto has no X25519 here") }
        self.secret = secret
        self.publicKey = publicKey
    }

    /// A key from its stored form; nil for another length.
    public init?(stored: [UInt8]) {
        guard stored.count == ReceivingKey.length,
            let secret = try? SecretBytes(count: stored.count, filling: { $0.copyBytes(from: stored) }),
            let key = try? ReceivingKey(secret)
        else { return nil }
        self = key
    }

    /// The stored form, which is secret.
    public var stored: [UInt8] { secret.withUnsafeBytes { Array($0) } }

    /// Open the encapsulated key and the ciphertext behind it, without additional data. Fails with `.authentication` where they were
    /// not encrypted to this key with this `info`.
    public func open(_ sealed: [UInt8], info: [UInt8]) throws(MAMError) -> SecretBytes {
        let count = sealed.count - ReceivingKey.length - Int(SEALING_TAG)
        guard count >= 0 else { throw MAMError(.authentication, "\(sealed.count) bytes are too few for a sealed key") }
        let context = try keySchedule(Array(sealed.prefix(ReceivingKey.length)), info: info)
        var code = Int32(SEALING_LIBRARY)
        let opened = try SecretBytes(count: count) { out in
            code = context.key.withUnsafeBytes { key in
                context.nonce.withUnsafeBytes { nonce in
                    sealed.withUnsafeBytes { sealed in
                        guard let key = key.baseAddress, let nonce = nonce.baseAddress, let from = sealed.baseAddress,
                            let to = out.baseAddress, sealing_start()
                        else { return Int32(SEALING_LIBRARY) }
                        return sealing_gcm_open(key, nonce, nil, 0, from + ReceivingKey.length, to, count)
                    }
                }
            }
        }
        try SealingStatus(code: code).check()
        return opened
    }

    /// Decapsulation (RFC 9180, 4.1) and the key schedule (5.1).
    private func keySchedule(
        _ encapsulated: [UInt8], info: [UInt8]
    ) throws(MAMError) -> (key: SecretBytes, nonce: SecretBytes) {
        let shared = try SecretBytes(count: ReceivingKey.length) { (out) throws(MAMError) in
            let isDone = secret.withUnsafeBytes { secret in
                encapsulated.withUnsafeBytes { other in
                    guard let secret = secret.baseAddress, let other = other.baseAddress, let out = out.baseAddress
                    else { return false }
                    return sealing_x25519_share(secret, other, out)
                }
            }
            guard isDone else { throw MAMError(.authentication, "the encapsulated key is no X25519 key") }
        }
        let kem = LabeledHash(suite: Array("KEM".utf8) + [0, 0x20])
        let extracted = try kem.extract(salt: nil, "eae_prk", shared)
        let agreed = try kem.expand(extracted, "shared_secret", encapsulated + publicKey, count: 32)
        let hpke = LabeledHash(suite: Array("HPKE".utf8) + [0, 0x20, 0, 1, 0, 2])
        let baseMode: [UInt8] = [0]
        let noPSK = try hpke.extract(salt: nil, "psk_id_hash", nil)
        let infoHash = try hpke.extract(salt: nil, "info_hash", nil, info)
        let context = [noPSK, infoHash].reduce(into: baseMode) { all, part in
            part.withUnsafeBytes { all.append(contentsOf: $0) }
        }
        let base = try hpke.extract(salt: agreed, "secret", nil)
        return (
            try hpke.expand(base, "key", context, count: Int(SEALING_KEY)),
            try hpke.expand(base, "base_nonce", context, count: Int(SEALING_NONCE))
        )
    }

    private static let length = Int(SEALING_X25519)
}

/// LabeledExtract and LabeledExpand of RFC 9180, with SHA-256.
private struct LabeledHash {
    let suite: [UInt8]
    private static let version = Array("HPKE-v1".utf8)

    func extract(
        salt: SecretBytes?, _ label: String, _ secret: SecretBytes?, _ input: [UInt8] = []
    ) throws(MAMError) -> SecretBytes {
        try hmac(salt, LabeledHash.version + suite + Array(label.utf8), secret, input, count: Int(SEALING_MAC))
    }

    /// At most 32 bytes: one block.
    func expand(_ key: SecretBytes, _ label: String, _ info: [UInt8], count: Int) throws(MAMError) -> SecretBytes {
        let length = UInt16(truncatingIfNeeded: count)
        let head = [UInt8(length >> 8), UInt8(length & 0xFF)] + LabeledHash.version + suite + Array(label.utf8)
        return try hmac(key, head + info + [1], nil, [], count: count)
    }

    private func hmac(
        _ key: SecretBytes?, _ head: [UInt8], _ secret: SecretBytes?, _ tail: [UInt8], count: Int
    ) throws(MAMError) -> SecretBytes {
        let whole = try SecretBytes(count: Int(SEALING_MAC)) { out in
            guard let out = out.baseAddress else { return }
            var prepared = sealing_mac_key_t()
            var state = sealing_mac_state_t()
            if let key {
                key.withUnsafeBytes { sealing_mac_prepare(&prepared, $0.baseAddress, $0.count) }
            } else {
                sealing_mac_prepare(&prepared, nil, 0)
            }
            sealing_mac_begin(&prepared, &state)
            head.withUnsafeBytes { sealing_mac_add(&state, $0.baseAddress, $0.count) }
            secret?.withUnsafeBytes { sealing_mac_add(&state, $0.baseAddress, $0.count) }
            tail.withUnsafeBytes { sealing_mac_add(&state, $0.baseAddress, $0.count) }
            sealing_mac_end(&prepared, &state, out)
            sealing_clear_frames()
            withUnsafeMutableBytes(of: &prepared) { $0.zero() }
        }
        guard count < whole.count else { return whole }
        return try SecretBytes(count: count) { out in whole.withUnsafeBytes { out.copyBytes(from: $0.prefix(count)) } }
    }
}
