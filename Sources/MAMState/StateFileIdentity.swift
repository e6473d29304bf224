import CFiles
import MAMSupport

/// The inodes of an open state's directory and files, to detect that they were removed or replaced.
struct StateFileIdentity: Sendable {
    private let directory: StateDirectory
    private let found: [File]

    private struct File: Equatable {
        let device, inode: UInt64
    }

    /// Record the present inodes.
    init(_ directory: StateDirectory) throws(MAMError) {
        self.directory = directory
        found = try StateFileIdentity.names.map { name throws(MAMError) in try StateFileIdentity.look(name, directory) }
    }

    /// Fail where an inode has changed.
    func check() throws(MAMError) {
        for (name, file) in zip(StateFileIdentity.names, found) {
            let now = try? StateFileIdentity.look(name, directory)
            guard now != file else { continue }
            let path = StateFileIdentity.path(name, directory)
            throw MAMError(
                .tampered, "\(path): was removed or replaced while the state was open; close and open again",
                [("path", .string(path))])
        }
    }

    /// "" is the path of the directory itself.
    private static let names = ["", "state.db", RootKeyFile.name, "shares"]

    private static func look(_ name: String, _ directory: StateDirectory) throws(MAMError) -> File {
        var facts = files_stat_t()
        let result =
            name.isEmpty
            ? files_stat(directory.path, &facts) : files_fstatat(directory.descriptor, name, &facts)
        guard result == 0 else { throw .system(result, "look at it", path: path(name, directory)) }
        return File(device: facts.device, inode: facts.inode)
    }

    private static func path(_ name: String, _ directory: StateDirectory) -> String {
        name.isEmpty ? directory.path : "\(directory.path)/\(name)"
    }
}
