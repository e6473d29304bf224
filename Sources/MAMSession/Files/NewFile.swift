import CPlatform
import MAMState
import MAMSupport

/// A file that takes its place when it is whole: what fails before, or is killed, leaves what was there.
final class NewFile {
    private let path: String
    private let name: String
    private let state: State
    private let directory: Int32
    private var file: Int32 = -1
    /// The name that it has before its own, where it has one.
    private var pending: PendingFile?

    /// Begin one for a path, with the permissions of `mode`. Nothing shows before ``place()``.
    init(_ path: String, mode: UInt32, _ state: State) throws(MAMError) {
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
        self.state = state
        self.directory = directory
        var begun = platform_new_nameless(directory, mode & 0o777, &file)
        if Int(begun) == PLATFORM_EOPNOTSUPP {
            let pending = try PendingFile(in: directory, of: state)
            begun = platform_new_named(directory, pending.name, mode & 0o777, &file)
            if begun == 0 { self.pending = pending }
        }
        guard begun == 0 else { throw .exchange(begun, "make it", path: path) }
    }

    deinit {
        if let pending { _ = platform_unlink_at(directory, pending.name) }
        if file >= 0 { platform_close(file) }
        platform_close(directory)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(MAMError) {
        guard let base = bytes.baseAddress else { return }
        try check(platform_write_on(file, base, bytes.count), "write it")
    }

    /// Durably in its place. A link there is neither followed nor replaced.
    func place() throws(MAMError) {
        try check(platform_settle(file), "write it")
        let there = platform_may_replace(directory, name)
        if there != 0, Int(there) != PLATFORM_EEXIST { try check(there, "put it in its place") }
        if there == 0, pending == nil {
            let named = platform_name_file(file, directory, name)
            // Somebody may have been faster.
            if Int(named) != PLATFORM_EEXIST {
                try check(named, "put it in its place")
                return try check(platform_settle(directory), "put it in its place")
            }
            let there = platform_may_replace(directory, name)
            if there != 0, Int(there) != PLATFORM_EEXIST { try check(there, "put it in its place") }
        }
        let pending = try named()
        try check(platform_rename_at(directory, pending.name, name), "put it in its place")
        self.pending = nil
        try check(platform_settle(directory), "put it in its place")
    }

    private func named() throws(MAMError) -> PendingFile {
        if let pending { return pending }
        let made = try PendingFile(in: directory, of: state)
        try check(platform_name_file(file, directory, made.name), "put it in its place")
        pending = made
        return made
    }

    private func check(_ result: Int32, _ doing: String) throws(MAMError) {
        guard result == 0 else { throw .exchange(result, doing, path: path) }
    }
}
