import Glibc
import MAMValues

/// The files of a group's state directory, as a list for support.
enum StateFiles {
    private static let maximumLogSize = 256 << 10

    /// Name, size, mode and time of change of each, and how many are in its folders.
    static func json(_ directory: String) -> JSON {
        .array(
            StateCheck.names(directory).compactMap { name in
                guard let facts = attributes("\(directory)/\(name)") else { return nil }
                let isDirectory = facts.st_mode & S_IFMT == S_IFDIR
                return .members([
                    "name": .string(name), "mode": .string(String(facts.st_mode & 0o7777, radix: 8)),
                    "owner": .number(facts.st_uid), "size": isDirectory ? nil : .number(facts.st_size),
                    "entries": isDirectory ? .number(StateCheck.names("\(directory)/\(name)").count) : nil,
                    "changed": .string(ProcessEnvironment.time(facts.st_mtim)),
                ])
            })
    }

    /// The apps that have written a log.
    static func appsWithLog(_ directory: String) -> [String] {
        StateCheck.names(directory).compactMap { name in
            name.hasSuffix(".log") ? String(name.dropLast(".log".count)) : nil
        }.filter(AppId.isValid)
    }

    /// The logs of an app, with the names that they have in an archive.
    static func logs(of app: String, in directory: String) -> [(name: String, text: String)] {
        [("log.txt", ".log"), ("log.1.txt", ".log.1")].compactMap { name, suffix in
            content(of: "\(directory)/\(app)\(suffix)").map { (name, $0) }
        }
    }

    /// nil for what is no regular file.
    private static func content(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: maximumLogSize)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
