import CFiles
import MAMSupport

/// A file descriptor that is closed when the last reference is released.
public final class Descriptor: Sendable {
    /// The descriptor.
    public let number: Int32
    private let isHostFile: Bool

    /// `isHostFile` keeps POSIX locks that the host holds on the file, which closing would release.
    init(_ number: Int32, isHostFile: Bool = false) {
        self.number = number
        self.isHostFile = isHostFile
    }

    deinit { if isHostFile { files_close_keeping_locks(number) } else { files_close(number) } }

    /// Fail where the file system reports, as on close(2), that writes are lost. The descriptor stays open.
    func reportLostWrites(_ displayPath: String) throws(MAMError) {
        try check(files_flush(number, isHostFile), "close it", displayPath)
    }

    /// The path without links.
    func path(_ displayPath: String) throws(MAMError) -> [UInt8] {
        var path = [CChar](repeating: 0, count: 4096 + 256)
        try check(files_path_of(number, &path, path.count), "find where it is", displayPath)
        return path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }

    /// The first bytes, at most `limit`.
    func firstBytes(_ limit: Int, _ displayPath: String) throws(MAMError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        let result = bytes.withUnsafeMutableBytes { memory in
            memory.baseAddress.map { files_read_start(number, $0, memory.count, &count) } ?? 0
        }
        try check(result, "read it", displayPath)
        return Array(bytes.prefix(count))
    }
}
