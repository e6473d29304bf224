import CSealing
import MAMSupport

/// The group key. It authenticates labels with HMAC-SHA-256.
public final class LabelKey: Sendable {
    /// 16 bytes derived from the key, which identify the group that wrote a label.
    public var id: [UInt8] { number.bytes }

    let number: KeyID

    private let states: SecretBytes

    /// A key of 32 bytes.
    public init(_ key: SecretBytes) throws(MAMError) {
        guard key.count == Int(SEALING_KEY) else { throw MAMError(.internal, "a group key has 32 bytes") }
        number = try HKDF.sha512(key, purpose: "libmam v1 label key id", count: KeyID.length)
            .withUnsafeBytes { KeyID($0) }
        states = try SecretBytes(count: MemoryLayout<sealing_mac_key_t>.size, in: key.vault) { memory in
            key.withUnsafeBytes { key in
                guard let memory = memory.baseAddress else { return }
                sealing_mac_prepare(memory.assumingMemoryBound(to: sealing_mac_key_t.self), key.baseAddress, key.count)
            }
        }
    }

    /// The vault of the key.
    var vault: Vault? { states.vault }

    /// Fail if the key was zeroed, because earlier results may be under a key of zeros.
    func checkAlive() throws(MAMError) { guard states.isAlive else { throw Vault.closed } }

    /// Call CSealing with the prepared key.
    func with(_ body: (UnsafePointer<sealing_mac_key_t>) -> Void) {
        states.withUnsafeBytes { memory in
            guard let memory = memory.baseAddress else { return }
            body(memory.assumingMemoryBound(to: sealing_mac_key_t.self))
        }
    }

    func mac(_ bytes: UnsafeRawBufferPointer, into out: UnsafeMutableRawPointer) {
        with { sealing_mac($0, bytes.baseAddress, bytes.count, out) }
    }

    func matches(_ bytes: UnsafeRawBufferPointer, mac: UnsafeRawPointer) -> Bool {
        states.withUnsafeBytes { memory in
            guard let memory = memory.baseAddress else { return false }
            return sealing_mac_matches(
                memory.assumingMemoryBound(to: sealing_mac_key_t.self), bytes.baseAddress, bytes.count, mac)
                && states.isAlive
        }
    }

    /// A keyed hash of 16 bytes that stands for an account's name in an app after a wipe; docs/formats.md.
    public func nameHash(_ folded: [UInt8], app: String) -> [UInt8] {
        Array(mac(Array("libmam v1 retired name\0\(app)\0".utf8) + folded).prefix(16))
    }
}
