import CMam
import Glibc

/// Replaces a file atomically: a reader sees the old content or all of the new. A killed process leaves no named file behind,
/// except between link and rename.
struct FileReplacement {
    /// O_TMPFILE, which Swift does not import.
    private static let withoutName: Int32 = 0o20_000_000 | O_DIRECTORY

    private let path: String
    /// The file to replace; nil where none exists.
    private let before: stat?
    private let mode: mode_t

    /// The new file takes the permissions of the one at `path`, else those of `source`, else `standardMode`.
    init(of path: String, source: String, standardMode: mode_t = 0o600) throws {
        guard !path.isEmpty else { throw CommandError.usage("a path is empty") }
        self.path = path
        before = try FileReplacement.status(of: path)
        let model = try before ?? (source == "-" ? nil : FileReplacement.status(of: source))
        mode = (model?.st_mode ?? standardMode) & 0o777
    }

    /// The new file takes `mode`, whatever the one at `path` has.
    init(of path: String, mode: mode_t) throws {
        guard !path.isEmpty else { throw CommandError.usage("a path is empty") }
        (self.path, self.mode) = (path, mode)
        before = try FileReplacement.status(of: path)
    }

    /// Refuse files that cannot be replaced as a whole: links, directories, devices, and files with several hard links, which would
    /// keep the old content.
    private static func status(of path: String) throws -> stat? {
        var now = stat()
        guard lstat(path, &now) == 0 else {
            guard errno == ENOENT else { throw systemError(path, errno) }
            return nil
        }
        switch now.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFLNK: throw CommandError.failed("\(path) is a symbolic link; name the file", status: MAM_ERR_ARGUMENT)
        case S_IFDIR: throw CommandError.failed("\(path) is a directory", status: MAM_ERR_ARGUMENT)
        default: throw CommandError.failed("\(path) is not a regular file", status: MAM_ERR_ARGUMENT)
        }
        guard now.st_nlink == 1 else {
            throw CommandError.failed(
                "\(path) has \(now.st_nlink) names (hard links); the others would keep what is in it",
                status: MAM_ERR_ARGUMENT)
        }
        return now
    }

    /// Begin the new content.
    func begin() throws -> Content { try Content(of: self) }

    /// The new content, before it is committed. It is deleted on release.
    final class Content {
        private let replacement: FileReplacement
        private let file: Int32
        /// The temporary name, where the file system does not support O_TMPFILE.
        private var name: String?

        fileprivate init(of replacement: FileReplacement) throws {
            self.replacement = replacement
            let nameless = open(replacement.directory, FileReplacement.withoutName | O_RDWR | O_CLOEXEC, 0o600)
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

        /// Append bytes.
        func write(_ bytes: UnsafeRawBufferPointer) throws {
            let failure = Output.writeAll(bytes, to: file)
            guard failure == 0 else { throw FileReplacement.systemError(replacement.path, failure) }
        }

        /// Sync the new content and move it to the path.
        func commit() throws {
            try replacement.applyAttributes(file)
            if let name {
                try replacement.commit(name)
                self.name = nil
                return
            }
            let name = replacement.temporaryName()
            if linkat(AT_FDCWD, "/proc/self/fd/\(file)", AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 {
                return try replacement.commit(name)
            }
            // Without /proc the file cannot be linked: copy it to a named one.
            let copy: Int32
            (copy, self.name) = try replacement.openNamed()
            defer { close(copy) }
            try replacement.copy(file, to: copy)
            try replacement.applyAttributes(copy)
            if let name = self.name { try replacement.commit(name) }
            self.name = nil
        }
    }

    private func openNamed() throws -> (Int32, String) {
        let name = temporaryName()
        let file = open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileReplacement.systemError(path, errno) }
        return (file, name)
    }

    private func copy(_ from: Int32, to: Int32) throws {
        var offset: off_t = 0
        while true {
            let count = sendfile(to, from, &offset, 1 << 20)
            guard count >= 0 else { throw FileReplacement.systemError(path, errno) }
            if count == 0 { return }
        }
    }

    private func applyAttributes(_ file: Int32) throws {
        // The owner first, since chown clears mode bits; only root may change it.
        if let before, before.st_uid != geteuid() || before.st_gid != getegid() {
            _ = fchown(file, before.st_uid, before.st_gid)
        }
        guard fchmod(file, mode) == 0, fsync(file) == 0 else { throw FileReplacement.systemError(path, errno) }
    }

    private func commit(_ name: String) throws {
        do {
            try checkUnchanged()
            guard rename(name, path) == 0 else { throw FileReplacement.systemError(path, errno) }
        } catch {
            unlink(name)
            throw error
        }
        let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        defer { close(folder) }
        fsync(folder)
    }

    /// Fail rather than discard a concurrent change.
    private func checkUnchanged() throws {
        let now = try FileReplacement.status(of: path)
        let isSame =
            now.map(FileReplacement.fingerprint) == before.map(FileReplacement.fingerprint)
            && (now == nil) == (before == nil)
        guard isSame else { throw CommandError.failed("\(path) was changed meanwhile; nothing was written") }
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

    /// In the same directory, as rename requires.
    private func temporaryName() -> String {
        "\(directory)/.mamctl-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    private static func systemError(_ path: String, _ code: Int32) -> CommandError {
        CommandError.failed("\(path): \(ProcessEnvironment.errorText(code))")
    }
}
