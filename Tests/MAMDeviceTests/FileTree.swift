import CFiles
import Glibc
import MAMDevice
import MAMSupport
import Testing

/// A temporary directory tree, made from a file in Captured/ or by a test.
///
/// A line is `path = text`, `path -> target` (a link), `path hex 06 00`, `path text` or `path nul` with the lines that are indented
/// below it (ended by line ends, or by NULs), or `path/` (a directory).
final class FileTree {
    let root: String

    init() {
        var template = Array("\(String(cString: getenv("TMPDIR") ?? strdup("/tmp")))/mam-device-XXXXXX".utf8CString)
        root = mkdtemp(&template).map { String(cString: $0) } ?? ""
        TemporaryDirectories.all.add(root)
    }

    convenience init(_ capture: String) throws {
        self.init()
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        guard let file = fopen("/\(folder)/Captured/\(capture).tree", "r") else {
            throw InvalidCapture(capture: capture)
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(byte)) }
        var block: (path: String, end: String, lines: [String])?
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("    ") {
                block?.lines.append(String(line.dropFirst(4)))
                continue
            }
            if let block { put(block.path, block.lines.map { $0 + block.end }.joined()) }
            block = nil
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
            switch parts.dropFirst().first {
            case nil: makeDirectory(parts[0])
            case "=": put(parts[0], parts.count > 2 ? parts[2] + "\n" : "\n")
            case "->": link(parts[0], parts[2])
            case "hex": put(parts[0], parts[2].split(separator: " ").compactMap { UInt8($0, radix: 16) })
            case "text": block = (parts[0], "\n", [])
            case "nul": block = (parts[0], "\0", [])
            default: throw InvalidCapture(capture: "\(capture): \(line)")
            }
        }
        if let block { put(block.path, block.lines.map { $0 + block.end }.joined()) }
    }

    struct InvalidCapture: Error {
        let capture: String
    }

    var device: Device { Device(root: root, process: unprivileged) }

    func put(_ path: String, _ text: String) { put(path, Array(text.utf8)) }

    func put(_ path: String, _ bytes: [UInt8]) {
        makeParent(of: path)
        guard let file = fopen("\(root)/\(path)", "w") else { return }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    func link(_ path: String, _ target: String) {
        makeParent(of: path)
        symlink(target, "\(root)/\(path)")
    }

    func makeDirectory(_ path: String) { _ = files_make_directories("\(root)/\(path)") }

    /// A sparse file of `length` NULs.
    func lengthen(_ path: String, to length: Int) {
        put(path, "")
        truncate("\(root)/\(path)", length)
    }

    private func makeParent(of path: String) {
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        if !parent.isEmpty { makeDirectory(parent) }
    }
}

/// The directories of all trees. A device does not keep its tree alive, so they are removed when the process exits.
private final class TemporaryDirectories: @unchecked Sendable {
    static let all = TemporaryDirectories()
    private let lock = Lock()
    private var roots: [String] = []  // guarded by `lock`

    private init() { atexit { TemporaryDirectories.all.remove() } }

    func add(_ root: String) { lock.withLock { roots.append(root) } }
    private func remove() { for root in lock.withLock({ roots }) { remove(root) } }

    /// Removes links without following them.
    private func remove(_ path: String) {
        var facts = files_stat_t()
        guard files_lstat(path, &facts) == 0 else { return }
        if facts.mode & 0o170000 == 0o040000, let folder = opendir(path) {
            var names: [String] = []
            while let entry = readdir(folder) {
                names.append(
                    withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                )
            }
            closedir(folder)
            for name in names where name != "." && name != ".." { remove("\(path)/\(name)") }
        }
        _ = Glibc.remove(path)
    }
}

/// A process without privileges.
let unprivileged = ProcessCredentials(
    user: 1000, effectiveUser: 1000, group: 1000, effectiveGroup: 1000, isSecure: false)
