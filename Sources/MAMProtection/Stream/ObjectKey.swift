import CSealing
import MAMSupport

/// What is derived for one object whose chunks come one after the other: in secret memory, and nowhere else between two calls. It
/// ends with the vault of the key that it was derived from, also where a chunk is under way.
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

    /// Of a new object; `prefix` gets the bytes before its chunks. With a salt for tests; nil, as everywhere else, draws one.
    convenience init(
        making key: SealingKey, context: UnsafeRawBufferPointer, salt: UnsafeRawPointer?,
        prefix: UnsafeMutableRawPointer
    ) throws(MAMError) {
        try self.init(key.vault)
        let code = try Vault.using(vault) { () throws(MAMError) in
            key.with { sealing_object_make($0, context.baseAddress, context.count, salt, object, prefix) }
        }
        try SealingStatus(code: code).check()
    }

    /// Of the object that begins with these bytes.
    convenience init(
        finding key: SealingKey, context: UnsafeRawBufferPointer, prefix: UnsafeRawPointer
    ) throws(MAMError) {
        try self.init(key.vault)
        let code = try Vault.using(vault) { () throws(MAMError) in
            key.with { sealing_object_find($0, context.baseAddress, context.count, prefix, object) }
        }
        guard !SealingStatus(code: code).isNotAuthentic else { throw Container.notAuthentic }
        try SealingStatus(code: code).check()
    }

    /// Seal full chunks, and the last one where they end the object.
    func seal(
        _ plain: UnsafeRawBufferPointer, from chunk: UInt64, ends: Bool, into out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) {
        guard let out = out.baseAddress else { throw bufferTooSmall(plain.count) }
        let code = try Vault.using(vault) { () throws(MAMError) in
            sealing_seal_chunks(object, chunk, plain.baseAddress, plain.count, ends, out)
        }
        try SealingStatus(code: code).check()
    }

    /// Open chunks that hold so many plain bytes; where one of them fails nothing of them is in `out`.
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
