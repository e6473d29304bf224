import MAMSupport

/// A file that a host works on, sealed or plain: offsets and lengths are those of the plain bytes.
public final class RandomAccessFile: @unchecked Sendable {
    private enum Form {
        case plain(PlainFile)
        case sealed(SealedFile)
    }

    private let form: Form
    /// How it was opened.
    public let flags: OpenFlags
    /// Held while `position` is used.
    private let lock = Lock()
    private var position: Int64 = 0

    init(sealed file: SealedFile, _ flags: OpenFlags) {
        form = .sealed(file)
        self.flags = flags
    }

    init(plain file: PlainFile, _ flags: OpenFlags) {
        form = .plain(file)
        self.flags = flags
    }

    /// Who owns it where it is sealed.
    public var header: SealedHeader? { if case .sealed(let file) = form { file.header } else { nil } }

    /// Its descriptor, and its path for messages, where it is plain.
    var plain: (number: Int32, path: String)? {
        if case .plain(let file) = form { (file.descriptor.number, file.path) } else { nil }
    }

    /// Where it is counted from: `SEEK_SET`, `SEEK_CUR`, `SEEK_END`.
    public enum Whence: Int32, Sendable { case start = 0, position, end }

    /// Read at the position, and move it.
    public func read(into out: UnsafeMutableRawBufferPointer) throws(MAMError) -> Int {
        try lock.held { () throws(MAMError) in
            let count = try read(into: out, at: position)
            position += Int64(count)
            return count
        }
    }

    /// Write at the position, or at the end, and move it.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(MAMError) -> Int {
        try lock.held { () throws(MAMError) in
            let (offset, count) = try write(bytes, from: position)
            if count > 0 { position = offset + Int64(count) }
            return count
        }
    }

    /// Read elsewhere; less only where the file ends, or where what follows cannot be read.
    public func read(into out: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MAMError) -> Int {
        guard flags.reads else { throw .argument("file", "was opened for writing alone") }
        guard offset >= 0 else { throw .argument("offset", "is negative", originalCode: 101) }
        return switch form {
        case .plain(let file): try file.read(into: out, at: offset)
        case .sealed(let file): try file.read(into: out, at: offset)
        }
    }

    /// Write elsewhere; less only where the rest fails. A file that appends does so here too, as on Linux.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(MAMError) -> Int {
        try write(bytes, from: offset).count
    }

    /// Write everything. What was written of a piece that does not fit whole is no error yet: the rest of it says why.
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
        guard offset >= 0 else { throw .argument("offset", "is negative", originalCode: 101) }
        switch form {
        case .plain(let file) where flags.appends: return try file.append(bytes)
        case .sealed(let file) where flags.appends: return try file.append(bytes)
        case .plain(let file): return (offset, try file.write(bytes, at: offset))
        case .sealed(let file): return (offset, try file.write(bytes, at: offset))
        }
    }

    /// Move the position; the result is where it is then.
    public func seek(_ offset: Int64, _ whence: Whence) throws(MAMError) -> Int64 {
        try lock.held { () throws(MAMError) in
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

    /// How many bytes it has.
    public func size() throws(MAMError) -> Int64 {
        switch form {
        case .plain(let file): try file.size()
        case .sealed(let file): try file.size()
        }
    }

    /// The next stretch at or behind an offset that is no hole; both ends are the size where there is none.
    func nextData(at offset: Int64) throws(MAMError) -> (begin: Int64, end: Int64) {
        switch form {
        case .plain(let file): try file.nextData(at: offset)
        case .sealed(let file): try file.nextData(at: offset)
        }
    }

    /// Cut or extend it; the position stays.
    public func truncate(to size: Int64) throws(MAMError) {
        guard flags.writes else { throw .argument("file", "was opened for reading alone") }
        guard size >= 0 else { throw .argument("size", "is negative", originalCode: 101) }
        switch form {
        case .plain(let file): try file.truncate(to: size)
        case .sealed(let file): try file.truncate(to: size)
        }
    }

    /// Bring it onto the disk; without what only stat shows where `isDataOnly`.
    public func sync(isDataOnly: Bool) throws(MAMError) {
        switch form {
        case .plain(let file): try file.sync(isDataOnly: isDataOnly)
        case .sealed(let file): try file.sync(isDataOnly: isDataOnly)
        }
    }

    /// Drop its keys: every later call answers closed.
    public func forget() { if case .sealed(let file) = form { file.forget() } }

    /// In a forked child: nothing of the file is touched when it goes.
    public func abandon() { if case .sealed(let file) = form { file.abandon() } }
}
