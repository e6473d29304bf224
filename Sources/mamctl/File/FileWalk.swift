import CMam
import Glibc

/// Walks the regular files at or below a path, across file systems. Symbolic links are not followed.
enum FileWalk {
    /// Call `body` with each path (which need not be UTF-8), its size, and the error where it or its directory cannot be read.
    static func each(_ path: String, _ body: (UnsafePointer<CChar>, Int, CommandError?) throws -> Void) throws {
        var waiting = [Array(path.utf8CString)]
        while let next = waiting.popLast() {
            var facts = stat()
            guard lstat(next, &facts) == 0 else {
                try body(next, 0, failure(next, errno))
                continue
            }
            switch facts.st_mode & S_IFMT {
            case S_IFREG: try body(next, Int(facts.st_size), nil)
            case S_IFDIR:
                do { waiting += try below(next) } catch let failure as CommandError { try body(next, 0, failure) }
            default: break
            }
        }
    }

    /// Fail where a path is neither a file nor a directory.
    static func checkExists(_ path: String) throws {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { throw failure(Array(path.utf8CString), errno) }
        guard [S_IFREG, S_IFDIR].contains(facts.st_mode & S_IFMT) else {
            throw CommandError.failed("\(path): is neither a file nor a directory", status: MAM_ERR_UNSUPPORTED)
        }
    }

    /// The total size of the files at or below some paths.
    static func size(of paths: [String]) throws -> Int {
        var total = 0
        for path in paths { try each(path) { _, size, _ in total += size } }
        return total
    }

    /// The entries of a directory in reverse order.
    private static func below(_ path: [CChar]) throws -> [[CChar]] {
        guard let directory = opendir(path) else { throw failure(path, errno) }
        defer { closedir(directory) }
        let slash = CChar(bitPattern: UInt8(ascii: "/"))
        var prefix = Array(path.dropLast())
        if prefix.last != slash { prefix.append(slash) }
        var found: [[CChar]] = []
        errno = 0
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) }
            }
            let dot = CChar(bitPattern: UInt8(ascii: "."))
            if name != [dot], name != [dot, dot] { found.append(prefix + name + [0]) }
            errno = 0
        }
        guard errno == 0 else { throw failure(path, errno) }
        return found.sorted { $1.lexicographicallyPrecedes($0) }
    }

    private static func failure(_ path: [CChar], _ error: Int32) -> CommandError {
        let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let status = error == ENOENT ? MAM_ERR_NOT_FOUND : error == EACCES ? MAM_ERR_PERMISSION : MAM_ERR_IO
        return CommandError.failed("\(name): \(ProcessEnvironment.errorText(error))", status: status)
    }
}
