import MAMSupport

/// An open file of a host, sealed or plain. Offsets and lengths are those of the plain bytes.
public final class RandomAccessFile: @unchecked Sendable {
    private enum Kind {
        case plain(PlainFile)
        case sealed(SealedFile)
    }

    private let kind: Kind
    /// The flags with which it was opened.
    public let flags: OpenFlags
    private let position = Locked<Int64>(0)

    init(sealed file: SealedFile, _ flags: OpenFlags) {
        kind = .sealed(file)
        self.flags = flags
    }

    init(plain file: PlainFile, _ flags: OpenFlags) {
        kind = .plain(file)
        self.flags = flags
    }

    /// The header of a sealed file; nil for a plain one.
    public var header: SealedFileHeader? { if case .sealed(let file) = kind { file.header } else { nil } }

    /// Descriptor and path of a plain file; nil for a sealed one.
    var plain: (number: Int32, path: String)? {
        if case .plain(let file) = kind { (file.descriptor.number, file.path) } else { nil }
    }

    /// The origin of an offset: `SEEK_SET`, `SEEK_CUR` or `SEEK_END`.
    public enum Whence: Int32, Sendable { case start = 0, position, end }

    /// Read at the position and advance it.
    public func read(into out: UnsafeMutableRawBufferPointer) throws(MAMError) -> Int {
        try position.withLock { (position) throws(MAMError) in
            let count = try read(into: out, at: position)
            position += Int64(count)
            return count
        }
    }

    /// Write at the position, or append, and advance it.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(MAMError) -> Int {
        try position.withLock { (position) throws(MAMError) in
            let (offset, count) = try write(bytes, from: position)
            if count > 0 { position = offset + Int64(count) }
            return count
        }
    }

    /// Read at an offset. Returns fewer bytes only at the end of the file, or before bytes that cannot be read.
    public func read(into out: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MAMError) -> Int {
        guard flags.reads else { throw .argument("file", "was opened for writing alone") }
        guard offset >= 0 else { throw .argument("offset", "is negative", originalCode: .invalidArguments) }
        return switch kind {
        case .plain(let file): try file.read(into: out, at: offset)
        case .sealed(let file): try file.read(into: out, at: offset)
        }
    }

    /// Write at an offset. Returns fewer bytes only where the rest fails. With O_APPEND the offset is ignored, as on Linux.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(MAMError) -> Int {
        try write(bytes, from: offset).count
    }

    /// Write all bytes. After a short write the rest is retried, which reports the cause.
    func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(MAMError) {
        var done = 0
        while done < bytes.count {
            done += try write(UnsafeRawBufferPointer(rebasing: bytes[done...]), at: offset + Int64(done))
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, from offset: Int64) throws(MAMError) -> (
        offset: Int64, count: Int
    ) {
        guard flags.writes else { throw .argument("file", "was opened for reading alone") }
        guard offset >= 0 else { throw .argument("offset", "is negative", originalCode: .invalidArguments) }
        switch kind {
        case .plain(let file) where flags.appends: return try file.append(bytes)
        case .sealed(let file) where flags.appends: return try file.append(bytes)
        case .plain(let file): return (offset, try file.write(bytes, at: offset))
        case .sealed(let file): return (offset, try file.write(bytes, at: offset))
        }
    }

    /// Set the position and return it.
    public func seek(_ offset: Int64, _ whence: Whence) throws(MAMError) -> Int64 {
        try position.withLock { (position) throws(MAMError) in
            let base: Int64 =
                switch whence {
                case .start: 0
                case .position: position
                case .end: try size()
                }
            let (sum, overflow) = base.addingReportingOverflow(offset)
            guard !overflow, sum >= 0 else {
                throw .argument("offset", "leads before the beginning of the file, or beyond what a file can be")
            }
            position = sum
            return sum
        }
    }

    /// The length in bytes.
    public func size() throws(MAMError) -> Int64 {
        switch kind {
        case .plain(let file): try file.size()
        case .sealed(let file): try file.size()
        }
    }

    /// The next range with data at or after an offset; both ends are the size where there is none.
    func nextData(at offset: Int64) throws(MAMError) -> (begin: Int64, end: Int64) {
        switch kind {
        case .plain(let file): try file.nextData(at: offset)
        case .sealed(let file): try file.nextData(at: offset)
        }
    }

    /// Set the length. The position stays.
    public func truncate(to size: Int64) throws(MAMError) {
        guard flags.writes else { throw .argument("file", "was opened for reading alone") }
        guard size >= 0 else { throw .argument("size", "is negative", originalCode: .invalidArguments) }
        switch kind {
        case .plain(let file): try file.truncate(to: size)
        case .sealed(let file): try file.truncate(to: size)
        }
    }

    /// Sync the file; `isDataOnly` as fdatasync.
    public func sync(isDataOnly: Bool) throws(MAMError) {
        switch kind {
        case .plain(let file): try file.sync(isDataOnly: isDataOnly)
        case .sealed(let file): try file.sync(isDataOnly: isDataOnly)
        }
    }

    /// Fail where the file system reports, as on close(2), that writes are lost.
    public func reportLostWrites() throws(MAMError) {
        guard flags.writes else { return }
        switch kind {
        case .plain(let file): try file.descriptor.reportLostWrites(file.path)
        case .sealed(let file): try file.reportLostWrites()
        }
    }

    /// Zero the keys of a sealed file, whose later calls fail with `.closed`. Does nothing to a plain file, whose next
    /// use the session refuses.
    public func forget() { if case .sealed(let file) = kind { file.forget() } }

    /// Leave the file untouched when this is released in a forked child.
    public func abandon() { if case .sealed(let file) = kind { file.abandon() } }
}
