import CSealing
import MAMSupport

/// The derived key of one object whose chunks are processed one after another, kept in secret memory. It is zeroed with the vault
/// of its parent key, even during a chunk.
final class ObjectKey: @unchecked Sendable {
    // Written in `init` only, so that threads may share it.
    private let object: UnsafeMutablePointer<sealing_object_t>
    private let vault: Vault?

    private static let size = MemoryLayout<sealing_object_t>.size

    private init(_ vault: Vault?) throws(MAMError) {
        let memory = try Vault.allocate(ObjectKey.size, in: vault)
        object = memory.bindMemory(to: sealing_object_t.self, capacity: 1)
        self.vault = vault
    }

    deinit { Vault.release(object, ObjectKey.size) }

    /// Begin a new object and write its prefix. With a fixed salt for tests; nil uses a random one.
    convenience init(
        making key: SealingKey, context: UnsafeRawBufferPointer, salt: UnsafeRawPointer?,
        prefix: UnsafeMutableRawPointer
    ) throws(MAMError) {
        try self.init(key.vault)
        let code = try Vault.using(vault) { () throws(MAMError) in
            key.with { sealing_object_create($0, context.baseAddress, context.count, salt, object, prefix) }
        }
        try SealingStatus(code: code).check()
    }

    /// Open the object with this prefix.
    convenience init(
        finding key: SealingKey, context: UnsafeRawBufferPointer, prefix: UnsafeRawPointer
    ) throws(MAMError) {
        try self.init(key.vault)
        let code = try Vault.using(vault) { () throws(MAMError) in
            key.with { sealing_object_derive($0, context.baseAddress, context.count, prefix, object) }
        }
        guard !SealingStatus(code: code).isNotAuthentic else { throw Container.notAuthentic }
        try SealingStatus(code: code).check()
    }

    /// Seal full chunks, and the last one if `ends`.
    func seal(
        _ plain: UnsafeRawBufferPointer, from chunk: UInt64, ends: Bool, into out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) {
        guard let out = out.baseAddress else { throw bufferTooSmall(plain.count) }
        let code = try Vault.using(vault) { () throws(MAMError) in
            sealing_seal_chunks(object, chunk, plain.baseAddress, plain.count, ends, out)
        }
        try SealingStatus(code: code).check()
    }

    /// Open chunks with `length` plain bytes. If one fails, `out` has none of them.
    func open(
        _ sealed: UnsafeRawBufferPointer, from chunk: UInt64, length: Int, ends: Bool,
        into out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) {
        guard let from = sealed.baseAddress else { return }
        let code = try Vault.using(vault) { () throws(MAMError) in
            sealing_open_chunks(object, chunk, from, length, ends, out.baseAddress)
        }
        let status = SealingStatus(code: code)
        guard !status.isNotAuthentic else { throw Container.notAuthentic }
        try status.check()
    }
}
