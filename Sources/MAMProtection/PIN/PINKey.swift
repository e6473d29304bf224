import CSealing
import MAMSupport

/// The keys for an app group's PINs, derived from the group key: without the root key, PINs can be neither tried nor assigned to
/// accounts; docs/formats.md, "PIN".
public struct PINKey: Sendable {
    private let names: SecretBytes
    private let pepper: SecretBytes

    /// The length of a PIN's id.
    public static let idLength = 16

    /// Keys from the group key's 32 bytes.
    public init(group: SecretBytes) throws(MAMError) {
        names = try PINKey.states(try HKDF.sha512(group, purpose: "libmam v1 pin id"))
        pepper = try PINKey.states(try HKDF.sha512(group, purpose: "libmam v1 pin pepper"))
    }

    /// The id of an account's PIN, equal in all apps of the group.
    public func id(of account: [UInt8]) throws(MAMError) -> [UInt8] {
        let mac = try account.withBytes { (account) throws(MAMError) in try PINKey.mac(names, account) }
        return mac.withUnsafeBytes { Array($0.prefix(PINKey.idLength)) }
    }

    /// The input of scrypt: 32 bytes that depend on PIN and account.
    func material(_ pin: SecretBytes, id: [UInt8]) throws(MAMError) -> SecretBytes {
        let message = try SecretBytes(count: id.count + pin.count) { message in
            message.copyBytes(from: id)
            pin.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: message[id.count...]).copyMemory(from: $0) }
        }
        return try message.withUnsafeBytes { (message) throws(MAMError) in try PINKey.mac(pepper, message) }
    }

    private static func states(_ key: SecretBytes) throws(MAMError) -> SecretBytes {
        try SecretBytes(count: MemoryLayout<sealing_mac_key_t>.size, in: key.vault) { memory in
            key.withUnsafeBytes { key in
                guard let memory = memory.baseAddress else { return }
                sealing_mac_prepare(memory.assumingMemoryBound(to: sealing_mac_key_t.self), key.baseAddress, key.count)
            }
        }
    }

    private static func mac(_ states: SecretBytes, _ message: UnsafeRawBufferPointer) throws(MAMError) -> SecretBytes {
        try SecretBytes(count: Int(SEALING_MAC)) { out in
            states.withUnsafeBytes { states in
                guard let states = states.baseAddress, let out = out.baseAddress else { return }
                sealing_mac(
                    states.assumingMemoryBound(to: sealing_mac_key_t.self), message.baseAddress, message.count, out)
                sealing_clear_frames()
            }
        }
    }
}
