import CPlatform
import MAMSupport

/// A file that takes its place when it is whole: what fails before, or is killed, leaves what was there.
final class NewFile {
    private let path: String
    private let name: String
    private let directory: Int32
    private var file = platform_new_file_t()

    /// Begin one for a path, with the permissions of `mode`. Nothing shows before ``place()``.
    init(_ path: String, mode: UInt32) throws(MAMError) {
        let bytes = Array(path.utf8)
        let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
        name = String(decoding: slash.map { bytes[($0 + 1)...] } ?? bytes[...], as: UTF8.self)
        let parent = slash.map { $0 == 0 ? "/" : String(decoding: bytes[..<$0], as: UTF8.self) } ?? "."
        guard !name.isEmpty, name != ".", name != ".." else {
            throw .exchange(Int32(PLATFORM_EISDIR), "write it", path: path)
        }
        // Held open, so that nobody moves the ground between two calls.
        var directory: Int32 = -1
        let opened = platform_open_directory(parent, &directory)
        guard opened == 0 else { throw .exchange(opened, "open its directory", path: path) }
        self.path = path
        self.directory = directory
        file.descriptor = -1
        let begun = platform_new_file_begin(directory, mode & 0o777, &file)
        guard begun == 0 else {
            platform_close(directory)
            throw .exchange(begun, "make it", path: path)
        }
    }

    deinit {
        platform_new_file_end(directory, &file)
        platform_close(directory)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(MAMError) {
        guard let base = bytes.baseAddress else { return }
        let result = platform_new_file_write(&file, base, bytes.count)
        guard result == 0 else { throw .exchange(result, "write it", path: path) }
    }

    /// Durably in its place. A link there is neither followed nor replaced.
    func place() throws(MAMError) {
        let result = platform_new_file_place(directory, &file, name)
        guard result == 0 else { throw .exchange(result, "put it in its place", path: path) }
    }
}
