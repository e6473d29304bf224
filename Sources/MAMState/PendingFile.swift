import CFiles
import MAMSupport

/// A temporary file name, recorded before its use. If the process is killed while the file exists, the next open of the state
/// removes it.
public final class PendingFile {
    /// The name.
    public let name: String
    private let state: State
    private let descriptor: Int32

    /// Record a new name in a directory. `isDurable` syncs the record, for files that exist longer than a moment.
    public init(in directory: Int32, of state: State, isDurable: Bool) throws(MAMError) {
        var name = [CChar](repeating: 0, count: Int(FILES_TEMPORARY_NAME))
        var path = [CChar](repeating: 0, count: Int(FILES_LONG_PATH))
        var descriptor: Int32 = -1
        var result = files_temporary_name(directory, &name, &path)
        if result == 0 {
            result = files_pending_add(state.directory.descriptor, name, path, isDurable, &descriptor)
        }
        guard result == 0 else { throw .system(result, "note a new file", path: state.directory.path) }
        self.name = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.state = state
        self.descriptor = descriptor
    }

    deinit { files_pending_remove(state.directory.descriptor, name, descriptor) }

    /// Remove the files of killed processes.
    public static func removeStale(_ state: State) { removeStale(state.directory) }

    static func removeStale(_ directory: StateDirectory) { files_pending_recover(directory.descriptor) }
}
