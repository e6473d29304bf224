import CPlatform
import MAMSupport

/// Which directory and files an open state is in: once others lie at their paths, or none, what is kept here is lost, and
/// what happens there is not heard of.
struct StatePlace: Sendable {
    private let directory: StateDirectory
    private let found: [File]

    private struct File: Equatable {
        let device, inode: UInt64
    }

    /// As they are now.
    init(_ directory: StateDirectory) throws(MAMError) {
        self.directory = directory
        found = try StatePlace.names.map { name throws(MAMError) in try StatePlace.look(name, directory) }
    }

    /// Refuse to go on where they are not what they were.
    func check() throws(MAMError) {
        for (name, file) in zip(StatePlace.names, found) {
            let now = try? StatePlace.look(name, directory)
            guard now != file else { continue }
            let path = StatePlace.path(name, directory)
            throw MAMError(
                .tampered, "\(path): was removed or replaced while the state was open; close and open again",
                [("path", .string(path))])
        }
    }

    /// "" is the directory itself, by its path.
    private static let names = ["", "state.db", FileCustodian.name, "shares"]

    private static func look(_ name: String, _ directory: StateDirectory) throws(MAMError) -> File {
        var facts = platform_file_facts_t()
        let result =
            name.isEmpty
            ? platform_facts_of_path(directory.path, &facts) : platform_facts_at(directory.descriptor, name, &facts)
        guard result == 0 else { throw .system(result, "look at it", path: path(name, directory)) }
        return File(device: facts.device, inode: facts.inode)
    }

    private static func path(_ name: String, _ directory: StateDirectory) -> String {
        name.isEmpty ? directory.path : "\(directory.path)/\(name)"
    }
}
