import CFiles
import MAMSupport

/// A plain file.
struct PlainFile: Sendable {
    let descriptor: Descriptor
    let path: String

    func read(into out: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MAMError) -> Int {
        var count = 0
        let failure = files_pread(descriptor.number, out.baseAddress, out.count, offset, &count)
        guard failure == 0 || count > 0 else { throw .file(failure, "read it", path) }
        return count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(MAMError) -> Int {
        var count = 0
        let failure = files_pwrite(descriptor.number, bytes.baseAddress, bytes.count, offset, &count)
        guard failure == 0 || count > 0 else { throw .file(failure, "write to it", path) }
        return count
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(MAMError) -> (offset: Int64, count: Int) {
        var count = 0
        var offset: Int64 = 0
        let failure = files_append(descriptor.number, bytes.baseAddress, bytes.count, &offset, &count)
        guard failure == 0 || count > 0 else { throw .file(failure, "write to it", path) }
        return (offset, count)
    }

    func size() throws(MAMError) -> Int64 {
        var facts = files_stat_t()
        try check(files_fstat(descriptor.number, &facts), "read its length", path)
        return facts.size
    }

    func nextData(at offset: Int64) throws(MAMError) -> (begin: Int64, end: Int64) {
        var (begin, end) = (offset, offset)
        try check(files_next_data(descriptor.number, offset, &begin, &end), "find its holes", path)
        return (begin, end)
    }

    func truncate(to size: Int64) throws(MAMError) {
        try check(files_truncate(descriptor.number, size), "cut or extend it", path)
    }

    func sync(isDataOnly: Bool) throws(MAMError) {
        try check(files_sync(descriptor.number, isDataOnly), "sync it", path)
    }
}
