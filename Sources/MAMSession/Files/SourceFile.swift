import CPlatform
import MAMProtection
import MAMSupport

/// A regular file that is read whole.
final class SourceFile {
    let path: String
    /// Its type and permissions.
    let mode: UInt32
    private let descriptor: Int32
    private let size: Int64

    /// Larger ones are refused.
    static let largest: Int64 = 256 << 20

    init(_ path: String) throws(MAMError) {
        var descriptor: Int32 = -1
        var facts = platform_file_facts_t()
        let opened = platform_open_to_read(path, &descriptor, &facts)
        guard opened == 0 else { throw .exchange(opened, "read it", path: path) }
        self.path = path
        self.descriptor = descriptor
        mode = facts.mode
        size = facts.size
        guard size <= SourceFile.largest else {
            platform_close(descriptor)
            throw MAMError(
                .unsupported,
                "\(path): is larger than \(SourceFile.largest >> 20) MiB, which this version does not take",
                [("path", .string(path)), ("size", .integer(size))])
        }
    }

    deinit { platform_close(descriptor) }

    /// All of it; zeroed afterwards, since it may be plaintext.
    func withBytes<T>(_ body: (UnsafeRawBufferPointer) throws(MAMError) -> T) throws(MAMError) -> T {
        let capacity = Int(size) + 1
        guard let memory = platform_result_alloc(capacity) else { throw .noMemory(capacity) }
        defer { platform_result_free(memory) }
        var count = 0
        let result = platform_read_on(descriptor, memory, capacity, &count)
        guard result == 0 else { throw .exchange(result, "read it", path: path) }
        guard count < capacity else {
            throw MAMError(.busy, "\(path): grows while it is read; try again", [("path", .string(path))])
        }
        return try body(UnsafeRawBufferPointer(start: memory, count: count))
    }
}
