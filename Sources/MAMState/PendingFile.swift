import CPlatform
import MAMSupport

/// A temporary name in some directory, written down before it is used: when a process is killed while a file has it, the next
/// that opens the state removes the file.
public final class PendingFile {
    /// The name.
    public let name: String
    private let state: State
    private let descriptor: Int32

    /// A new name in a directory; one that a file has for longer than a moment is durable, for power failures.
    public init(in directory: Int32, of state: State, isDurable: Bool) throws(MAMError) {
        var name = [CChar](repeating: 0, count: Int(PLATFORM_TEMPORARY))
        var path = [CChar](repeating: 0, count: Int(PLATFORM_LONG_PATH))
        var descriptor: Int32 = -1
        var result = platform_temporary(directory, &name, &path)
        if result == 0 {
            result = platform_pending_note(state.directory.descriptor, name, path, isDurable, &descriptor)
        }
        guard result == 0 else { throw .system(result, "note a new file", path: state.directory.path) }
        self.name = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.state = state
        self.descriptor = descriptor
    }

    deinit { platform_pending_end(state.directory.descriptor, name, descriptor) }

    /// Remove the files that killed processes left.
    public static func sweep(_ state: State) { sweep(state.directory) }

    static func sweep(_ directory: StateDirectory) { platform_pending_sweep(directory.descriptor) }
}
