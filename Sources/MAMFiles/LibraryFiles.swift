import CFiles
import CProcess
import MAMState
import MAMSupport

/// libmam's own files: the state of the group, and the files of its authority. Sealing, labelling, replacing or removing them would
/// destroy what is managed.
public final class LibraryFiles: Sendable {
    /// A kind of own file.
    public enum Kind: Sendable {
        case state
        case authority
        case key
        case sidecar
        case certificate

        /// The predicate of a message.
        var text: String {
            switch self {
            case .state: "belongs to libmam's own state"
            case .authority: "is the authority of this app"
            case .key: "holds the keys of this app's authority"
            case .sidecar: "belongs to the authority of this app"
            case .certificate: "is the certificate of this app's authority"
            }
        }
    }

    /// A file outside of the state; an authority's path may be a link, and stands for what is beside the authority, too.
    public struct File: Sendable {
        let path: String
        let kind: Kind

        /// A file at an absolute path.
        public init(path: String, kind: Kind) {
            self.path = path
            self.kind = kind
        }
    }

    private let state: StateDirectory
    private let files: [File]
    private let last = Locked<Look?>(nil)

    /// A look, and a directory that is outside of the state.
    private struct Look {
        let found: FoundLibraryFiles
        let time: Int64
        var outside: FileID?
    }

    /// The own files of a session.
    public init(_ state: StateDirectory, _ files: [File]) {
        self.state = state
        self.files = files
    }

    /// Look where they are now.
    func find() -> FoundLibraryFiles { FoundLibraryFiles(state, files) }

    /// The kind of the file at a location, or of a directory around it; nil where none is libmam's. A look serves for a second, so that
    /// a host that opens many files makes none for each of them.
    func kind(of location: FileLocation) -> Kind? {
        let look = recent()
        var directory = files_entry_t()
        let number = location.directory.number
        guard files_entry_at(number, ".", &directory) == 0 else { return nil }
        if let kind = look.found.kind(of: location.name, in: number, directory) { return kind }
        let id = directory.fileID
        guard !(look.outside.map(id.isSame) ?? false) else { return nil }
        guard !look.found.isInState(number) else { return .state }
        last.withLock { $0?.outside = id }
        return nil
    }

    private func recent() -> Look {
        let now = process_clock_monotonic_ms()
        if let look = last.withLock({ $0 }), now &- look.time < 1000 { return look }
        let look = Look(found: find(), time: now)
        last.withLock { $0 = look }
        return look
    }
}

/// libmam's own files as they are now. They are recognised by their identity, whatever path, link or mount leads to them, and by
/// directory and name, since some come and go.
struct FoundLibraryFiles: Sendable {
    private struct Place {
        let directory: FileID
        let name: [UInt8]
        let file: FileID?
        let kind: LibraryFiles.Kind
    }

    /// The directory in which every group has its state.
    private var root: FileID?
    /// The group's directory, and that of its shares.
    private var groups: [FileID] = []
    private var places: [Place] = []

    init(_ state: StateDirectory, _ files: [LibraryFiles.File]) {
        let group = state.realPath
        root = FilePath.split(group).flatMap { FoundLibraryFiles.entry($0.directory) }
        groups = [group, group + Array("/shares".utf8)].compactMap(FoundLibraryFiles.entry)
        for file in files {
            let path = Array(file.path.utf8)
            guard case .authority = file.kind else {
                add(path, [("", file.kind)])
                continue
            }
            let target = FoundLibraryFiles.target(of: file.path)
            for path in target == path ? [path] : [path, target] { add(path, FoundLibraryFiles.ofAuthority) }
        }
    }

    private static let ofAuthority: [(suffix: String, kind: LibraryFiles.Kind)] =
        [("", .authority), (".key", .key)] + ["-journal", "-wal", "-shm", ".lock"].map { ($0, .sidecar) }

    /// Add what has a path with one of these suffixes.
    private mutating func add(_ path: [UInt8], _ suffixes: [(suffix: String, kind: LibraryFiles.Kind)]) {
        guard let (above, name) = FilePath.split(path),
            let directory = FoundLibraryFiles.entry(above + Array("/.".utf8))
        else { return }
        let bytes = name.dropLast().map { UInt8(bitPattern: $0) }
        for (suffix, kind) in suffixes {
            let ending = Array(suffix.utf8)
            places.append(
                Place(
                    directory: directory, name: bytes + ending, file: FoundLibraryFiles.entry(path + ending), kind: kind
                ))
        }
    }

    /// The path without links; the path itself where there is no file.
    private static func target(of path: String) -> [UInt8] {
        var real = [CChar](repeating: 0, count: 4097)
        guard files_real_path(path, &real, real.count) == 0 else { return Array(path.utf8) }
        return real.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }

    private static func entry(_ path: [UInt8]) -> FileID? {
        var entry = files_entry_t()
        guard files_entry_at(Int32(FILES_CWD), FilePath(parts: path, []).characters, &entry) == 0 else { return nil }
        return entry.fileID
    }

    /// The kind of a file or directory; nil where it is not libmam's.
    func kind(of entry: files_entry_t) -> LibraryFiles.Kind? {
        if isRoot(entry) || groups.contains(where: entry.fileID.isSame) { return .state }
        return places.first { $0.file.map(entry.fileID.isSame) ?? false }?.kind
    }

    /// The names of own files in a directory, there or not.
    func names(in directory: files_entry_t) -> [[UInt8]] {
        places.filter { directory.fileID.isSame($0.directory) }.map(\.name)
    }

    /// The kind of an entry of a directory; nil where it is not libmam's.
    func kind(of name: [CChar], in directory: Int32, _ above: files_entry_t) -> LibraryFiles.Kind? {
        var entry = files_entry_t()
        if files_entry_at(directory, name, &entry) == 0, let kind = kind(of: entry) { return kind }
        let bytes = name.dropLast().map { UInt8(bitPattern: $0) }
        if let place = places.first(where: { above.fileID.isSame($0.directory) && $0.name == bytes }) {
            return place.kind
        }
        return isRoot(above) && FoundLibraryFiles.isState(directory, name) ? .state : nil
    }

    private func isRoot(_ entry: files_entry_t) -> Bool { root.map(entry.fileID.isSame) ?? false }

    /// Whether a directory has the state of a group, this one or another.
    private static func isState(_ directory: Int32, _ name: [CChar]) -> Bool {
        var facts = files_stat_t()
        let bytes = name.dropLast().map { UInt8(bitPattern: $0) }
        return files_fstatat(directory, FilePath(parts: bytes, Array("state.db".utf8)).characters, &facts) == 0
    }

    /// Whether an open directory has the state of a group, or is inside of one.
    func isInState(_ number: Int32) -> Bool {
        var directory = files_entry_t()
        guard files_entry_at(number, ".", &directory) == 0 else { return false }
        var path: [CChar] = [0x2E, 0]
        for _ in 0..<256 {
            if groups.contains(where: directory.fileID.isSame) { return true }
            var above = path
            above.replaceSubrange(above.index(before: above.endIndex)..., with: [0x2F, 0x2E, 0x2E, 0])
            var parent = files_entry_t()
            guard files_entry_at(number, above, &parent) == 0, !parent.fileID.isSame(directory.fileID) else {
                return false
            }
            if isRoot(parent), FoundLibraryFiles.isState(number, path) { return true }
            (path, directory) = (above, parent)
        }
        return false
    }
}
