import CPlatform
import CSealing
import MAMSupport

/// What is derived for one object whose chunks come one after the other: in secret memory, and nowhere else between two calls.
final class ObjectKey: @unchecked Sendable {
    // Written in `init` only, so that threads may share it.
    private let object: UnsafeMutablePointer<sealing_object_t>

    private static let size = MemoryLayout<sealing_object_t>.size

    private init() throws(MAMError) {
        guard let memory = platform_secret_alloc(ObjectKey.size) else { throw .noMemory(ObjectKey.size) }
        object = memory.bindMemory(to: sealing_object_t.self, capacity: 1)
    }

    deinit { platform_secret_free(object, ObjectKey.size) }

    /// Of a new object; `prefix` gets the bytes before its chunks. With a salt for tests; nil, as everywhere else, draws one.
    convenience init(
        making key: SealingKey, context: UnsafeRawBufferPointer, salt: UnsafeRawPointer?,
        prefix: UnsafeMutableRawPointer
    ) throws(MAMError) {
        try self.init()
        let code = key.with { sealing_object_make($0, context.baseAddress, context.count, salt, object, prefix) }
        try SealingStatus(code: code).check()
    }

    /// Of the object that begins with these bytes.
    convenience init(
        finding key: SealingKey, context: UnsafeRawBufferPointer, prefix: UnsafeRawPointer
    ) throws(MAMError) {
        try self.init()
        let code = key.with { sealing_object_find($0, context.baseAddress, context.count, prefix, object) }
        guard !SealingStatus(code: code).isNotAuthentic else { throw Container.notAuthentic }
        try SealingStatus(code: code).check()
    }

    /// Seal full chunks, and the last one where they end the object.
    func seal(
        _ plain: UnsafeRawBufferPointer, from chunk: UInt64, ends: Bool, into out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) {
        guard let out = out.baseAddress else { throw bufferTooSmall(plain.count) }
        try SealingStatus(code: sealing_seal_chunks(object, chunk, plain.baseAddress, plain.count, ends, out)).check()
    }

    /// Open chunks that hold so many plain bytes; where one of them fails nothing of them is in `out`.
    func open(
        _ sealed: UnsafeRawBufferPointer, from chunk: UInt64, length: Int, ends: Bool,
        into out: UnsafeMutableRawBufferPointer
    ) throws(MAMError) {
        guard let from = sealed.baseAddress else { return }
        let status = SealingStatus(code: sealing_open_chunks(object, chunk, from, length, ends, out.baseAddress))
        guard !status.isNotAuthentic else { throw Container.notAuthentic }
        try status.check()
    }
}
