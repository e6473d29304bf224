import CSealedFile
import MAMProtection
import MAMSupport

/// A file that is sealed record by record in place; docs/sealed-files.md. Any thread; the descriptor is its own.
public final class SealedFile: @unchecked Sendable {
    // CSealedFile does its own locking.
    private let file: OpaquePointer
    private let descriptor: Descriptor
    private let path: String
    /// Whether it was opened in a process of which this one is a forked child.
    private var isForked = false
    /// Who owns it, and its key.
    public let header: SealedHeader

    /// Work on an open file whose header was read.
    init(
        _ descriptor: Descriptor, path: String, _ shared: SharedLocks, header: SealedHeader, key: DataKey
    ) throws(MAMError) {
        var file: OpaquePointer?
        let fault = withUnsafePointer(to: header.raw) { raw in
            key.withSealingKey { sealed_file_open(descriptor.number, shared.memory, raw, $0, &file) }
        }
        try fault.check("open it", path)
        guard let file else { throw MAMError(.internal, "a sealed file is opened or there is an error") }
        self.file = file
        self.descriptor = descriptor
        self.path = path
        self.header = header
    }

    deinit { if isForked { sealed_file_abandon(file) } else { sealed_file_close(file) } }

    /// The header of an open file; nil where it is no sealed file.
    static func header(of descriptor: Descriptor, path: String) throws(MAMError) -> SealedHeader? {
        var raw = sealed_file_header_t()
        let fault = sealed_file_header_read(descriptor.number, &raw)
        if Int(fault.status) == SEALED_FILE_FOREIGN { return nil }
        try fault.check("read it", path)
        return SealedHeader(raw)
    }

    /// Make an empty file a sealed one.
    static func make(_ descriptor: Descriptor, path: String, header: SealedHeader, key: DataKey) throws(MAMError) {
        let fault = withUnsafePointer(to: header.raw) { raw in
            key.withSealingKey { sealed_file_make(descriptor.number, raw, $0) }
        }
        try fault.check("make it", path)
    }

    /// In a forked child: nothing of the file is touched when it goes.
    func abandon() {
        isForked = true
        sealed_file_forked(file)
    }

    /// Drop its keys: every later call answers closed.
    func forget() { sealed_file_forget(file) }

    func read(into out: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MAMError) -> Int {
        var count = 0
        let fault = sealed_file_pread(file, out.baseAddress, out.count, offset, &count)
        if count == 0 { try fault.check("read it", path) }
        return count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(MAMError) -> Int {
        var count = 0
        let fault = sealed_file_pwrite(file, bytes.baseAddress, bytes.count, offset, &count)
        if count == 0 { try fault.check("write to it", path) }
        return count
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(MAMError) -> (offset: Int64, count: Int) {
        var count = 0
        var offset: Int64 = 0
        let fault = sealed_file_append(file, bytes.baseAddress, bytes.count, &offset, &count)
        if count == 0 { try fault.check("write to it", path) }
        return (offset, count)
    }

    func size() throws(MAMError) -> Int64 {
        var size: Int64 = 0
        try sealed_file_size(file, &size).check("read its length", path)
        return size
    }

    func nextData(at offset: Int64) throws(MAMError) -> (begin: Int64, end: Int64) {
        var (begin, end) = (offset, offset)
        try sealed_file_next_data(file, offset, &begin, &end).check("find its holes", path)
        return (begin, end)
    }

    func truncate(to size: Int64) throws(MAMError) {
        try sealed_file_truncate(file, size).check("cut or extend it", path)
    }

    func sync(isDataOnly: Bool) throws(MAMError) {
        try sealed_file_sync(file, isDataOnly).check("sync it", path)
    }
}
