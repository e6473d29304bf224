import CPlatform
import Glibc
import MAMDevice
import MAMSupport
import Testing

/// A tree of files in a folder of its own, made of a file in Captured/ or of what a test says.
///
/// A line is `path = text`, `path -> target` (a link), `path hex 06 00`, `path text` or `path nul` with the lines that are
/// indented below it (ended by line ends, or by NULs), or `path/` (a folder).
final class Tree {
    let root: String

    init() {
        var template = Array("\(String(cString: getenv("TMPDIR") ?? strdup("/tmp")))/mam-device-XXXXXX".utf8CString)
        root = mkdtemp(&template).map { String(cString: $0) } ?? ""
        Litter.all.add(root)
    }

    convenience init(_ scene: String) throws {
        self.init()
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        guard let file = fopen("/\(folder)/Captured/\(scene).tree", "r") else { throw Missing(scene: scene) }
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
            case nil: folderAt(parts[0])
            case "=": put(parts[0], parts.count > 2 ? parts[2] + "\n" : "\n")
            case "->": link(parts[0], parts[2])
            case "hex": put(parts[0], parts[2].split(separator: " ").compactMap { UInt8($0, radix: 16) })
            case "text": block = (parts[0], "\n", [])
            case "nul": block = (parts[0], "\0", [])
            default: throw Missing(scene: "\(scene): \(line)")
            }
        }
        if let block { put(block.path, block.lines.map { $0 + block.end }.joined()) }
    }

    struct Missing: Error {
        let scene: String
    }

    var device: Device { Device(root: root, process: ordinary) }

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

    func folderAt(_ path: String) { _ = platform_make_directories("\(root)/\(path)") }

    /// A file that is there and empty as far as its size tells, and goes on for `length` bytes.
    func lengthen(_ path: String, to length: Int) {
        put(path, "")
        truncate("\(root)/\(path)", length)
    }

    private func makeParent(of path: String) {
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        if !parent.isEmpty { folderAt(parent) }
    }
}

/// The folders of all trees: a device does not keep its tree, so they go when the process ends.
private final class Litter: @unchecked Sendable {
    static let all = Litter()
    private let lock = Lock()
    private var roots: [String] = []  // guarded by `lock`

    private init() { atexit { Litter.all.remove() } }

    func add(_ root: String) { lock.held { roots.append(root) } }
    private func remove() { for root in lock.held({ roots }) { remove(root) } }

    /// Links are removed, not followed.
    private func remove(_ path: String) {
        var facts = platform_file_facts_t()
        guard platform_facts_of_name(path, &facts) == 0 else { return }
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

/// A process that has its user's rights.
let ordinary = ProcessRights(user: 1000, effectiveUser: 1000, group: 1000, effectiveGroup: 1000, isSecure: false)
