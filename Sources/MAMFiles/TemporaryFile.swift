import CFiles
import MAMState
import MAMSupport

/// An empty file beside another one, to be written by path. Only this user may read it. If the process is killed, the next open of
/// the state removes it.
public struct TemporaryFile {
    /// The path.
    public let path: String
    private let pending: PendingFile

    /// Create the file.
    public init(beside other: String, _ state: State) throws(MAMError) {
        let location = try FileLocation(try FilePath(Array(other.utf8)))
        pending = try PendingFile(in: location.directory.number, of: state, isDurable: true)
        var number: Int32 = -1
        try check(
            files_create_named(location.directory.number, pending.name, 0o600, &number), "make a file beside it", other)
        files_close(number)
        path = FilePath(parts: location.directoryPath, Array(pending.name.utf8)).text
    }

    /// Run `body`, which writes the file and renames it. The file is removed if that fails.
    public func use(_ body: (String) throws(MAMError) -> Void) throws(MAMError) {
        defer { withExtendedLifetime(pending) {} }
        do throws(MAMError) { try body(path) } catch {
            _ = files_remove(path)
            throw error
        }
    }
}
