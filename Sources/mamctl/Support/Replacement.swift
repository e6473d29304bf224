import CMam
import Glibc

/// A file that takes the place of another at once: whoever opens the path sees the old content or all of the new, and
/// a process that is killed leaves nothing behind that has a name, but in the instant between link and rename.
struct Replacement {
    /// O_TMPFILE, which Swift does not see.
    private static let withoutName: Int32 = 0o20_000_000 | O_DIRECTORY

    private let path: String
    /// What was at the path; nil where nothing was.
    private let before: stat?
    private let mode: mode_t

    /// For `path`, with the permissions of the file there; where there is none, with those of `source`.
    init(of path: String, source: String) throws {
        guard !path.isEmpty else { throw Failure.usage("a path is empty") }
        self.path = path
        before = try Replacement.look(at: path)
        let likeness = try before ?? (source == "-" ? nil : Replacement.look(at: source))
        mode = (likeness?.st_mode ?? 0o600) & 0o777
    }

    /// Refuse what cannot be replaced as a whole: links, directories, devices, and files with a second name, which
    /// would keep the content.
    private static func look(at path: String) throws -> stat? {
        var now = stat()
        guard lstat(path, &now) == 0 else {
            guard errno == ENOENT else { throw told(path, errno) }
            return nil
        }
        switch now.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFLNK: throw Failure.failed("\(path) is a symbolic link; name the file", status: MAM_ERR_ARGUMENT)
        case S_IFDIR: throw Failure.failed("\(path) is a directory", status: MAM_ERR_ARGUMENT)
        default: throw Failure.failed("\(path) is not a regular file", status: MAM_ERR_ARGUMENT)
        }
        guard now.st_nlink == 1 else {
            throw Failure.failed(
                "\(path) has \(now.st_nlink) names (hard links); the others would keep what is in it",
                status: MAM_ERR_ARGUMENT)
        }
        return now
    }

    /// Begin its new content.
    func begin() throws -> Content { try Content(of: self) }

    /// What will be at the path, once it is complete. Let go before that, nothing of it is left.
    final class Content {
        private let replacement: Replacement
        private let file: Int32
        /// Where the file system has no files without a name.
        private var name: String?

        fileprivate init(of replacement: Replacement) throws {
            self.replacement = replacement
            let nameless = open(replacement.directory, Replacement.withoutName | O_RDWR | O_CLOEXEC, 0o600)
            guard nameless < 0 else {
                file = nameless
                return
            }
            (file, name) = try replacement.openNamed()
        }

        deinit {
            close(file)
            if let name { unlink(name) }
        }

        /// More of it.
        func write(_ bytes: UnsafeRawBufferPointer) throws {
            let failure = Output.writeAll(bytes, to: file)
            guard failure == 0 else { throw Replacement.told(replacement.path, failure) }
        }

        /// Make it durable, and put it in place.
        func putInPlace() throws {
            try replacement.settle(file)
            if let name {
                try replacement.putInPlace(name)
                self.name = nil
                return
            }
            let name = replacement.temporaryName()
            if linkat(AT_FDCWD, "/proc/self/fd/\(file)", AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 {
                return try replacement.putInPlace(name)
            }
            // Without /proc a file cannot be given a name: a copy has one.
            let copy: Int32
            (copy, self.name) = try replacement.openNamed()
            defer { close(copy) }
            try replacement.copy(file, to: copy)
            try replacement.settle(copy)
            if let name = self.name { try replacement.putInPlace(name) }
            self.name = nil
        }
    }

    private func openNamed() throws -> (Int32, String) {
        let name = temporaryName()
        let file = open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw Replacement.told(path, errno) }
        return (file, name)
    }

    private func copy(_ from: Int32, to: Int32) throws {
        var offset: off_t = 0
        while true {
            let count = sendfile(to, from, &offset, 1 << 20)
            guard count >= 0 else { throw Replacement.told(path, errno) }
            if count == 0 { return }
        }
    }

    private func settle(_ file: Int32) throws {
        // The owner first, since a change of owner takes permissions away; only root may change it at all.
        if let before, before.st_uid != geteuid() || before.st_gid != getegid() {
            _ = fchown(file, before.st_uid, before.st_gid)
        }
        guard fchmod(file, mode) == 0, fsync(file) == 0 else { throw Replacement.told(path, errno) }
    }

    private func putInPlace(_ name: String) throws {
        do {
            try insistUnchanged()
            guard rename(name, path) == 0 else { throw Replacement.told(path, errno) }
        } catch {
            unlink(name)
            throw error
        }
        let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        defer { close(folder) }
        fsync(folder)
    }

    /// What somebody else wrote meanwhile is not thrown away.
    private func insistUnchanged() throws {
        let now = try Replacement.look(at: path)
        let isSame =
            now.map(Replacement.fingerprint) == before.map(Replacement.fingerprint) && (now == nil) == (before == nil)
        guard isSame else { throw Failure.failed("\(path) was changed meanwhile; nothing was written") }
    }

    private static func fingerprint(_ file: stat) -> [Int] {
        [
            Int(truncatingIfNeeded: file.st_dev), Int(truncatingIfNeeded: file.st_ino), file.st_size,
            file.st_mtim.tv_sec, file.st_mtim.tv_nsec, file.st_ctim.tv_sec, file.st_ctim.tv_nsec,
        ]
    }

    fileprivate var directory: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// In the same directory, since a rename goes no farther.
    private func temporaryName() -> String {
        "\(directory)/.mamctl-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    private static func told(_ path: String, _ code: Int32) -> Failure {
        Failure.failed("\(path): \(Surroundings.describe(code))")
    }
}
