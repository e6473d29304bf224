import CSealedFile
import MAMProtection
import MAMSupport

/// A sealed file; docs/sealed-files.md. Thread-safe.
public final class SealedFile: @unchecked Sendable {
    // CSealedFile is thread-safe.
    private let file: OpaquePointer
    private let descriptor: Descriptor
    private let path: String
    /// Whether this process is a forked child of the one that opened the file.
    private var isForked = false
    /// The header.
    public let header: SealedFileHeader

    /// Open a file whose header was read.
    init(
        _ descriptor: Descriptor, path: String, _ shared: SharedLocks, header: SealedFileHeader, key: DataKey
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

    /// The header of an open file; nil where it is not a sealed file.
    static func header(of descriptor: Descriptor, path: String) throws(MAMError) -> SealedFileHeader? {
        var raw = sealed_file_header_t()
        let fault = sealed_file_header_read(descriptor.number, &raw)
        if Int(fault.status) == SEALED_FILE_FOREIGN {
            guard SealedMark.isOnDamaged(descriptor) else { return nil }
            throw .file(
                .damaged, path,
                "was sealed, and its first page is not one of a sealed file: it is damaged, or another program wrote over it."
                    + " Restore it, or create it anew; without its attribute \(SealedMark.attribute) it is taken as it is",
                originalCode: .failedToDecrypt)
        }
        try fault.check("read it", path)
        return SealedFileHeader(raw)
    }

    /// Make an empty file a sealed one.
    static func create(_ descriptor: Descriptor, path: String, header: SealedFileHeader, key: DataKey) throws(MAMError)
    {
        let fault = withUnsafePointer(to: header.raw) { raw in
            key.withSealingKey { sealed_file_create(descriptor.number, raw, $0) }
        }
        try fault.check("make it", path)
        SealedMark.set(descriptor)
    }

    /// Leave the file untouched when this is released in a forked child.
    func abandon() {
        isForked = true
        sealed_file_reset_locks(file)
    }

    /// Zero the keys. All later calls fail with `.closed`.
    func forget() { sealed_file_clear_keys(file) }

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

    func reportLostWrites() throws(MAMError) { try descriptor.reportLostWrites(path) }

    func sync(isDataOnly: Bool) throws(MAMError) {
        try sealed_file_sync(file, isDataOnly).check("sync it", path)
    }
}
