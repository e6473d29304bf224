import CMam
import Glibc

/// What a command reads: standard input, files, and options that hold either.
enum Input {
    /// Longest JSON that mam_admin takes.
    static let longestJSON = 16 << 20

    /// All of standard input, at most `limit` bytes.
    static func standard(limit: Int) throws -> SecretBytes {
        try read(STDIN_FILENO, limit: limit, name: "standard input")
    }

    /// All of a file, at most `limit` bytes; `-` is standard input.
    static func file(_ path: String, limit: Int) throws -> SecretBytes {
        guard path != "-" else { return try standard(limit: limit) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        return try read(descriptor, limit: limit, name: path)
    }

    /// What a regular file begins with, where it can be read and is that long.
    static func beginning(of path: String, _ count: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        return pread(descriptor, &bytes, count, 0) == count ? bytes : nil
    }

    /// A secret in a file, without the newline at its end; `-` is standard input.
    static func secret(_ path: String, limit: Int, name: String) throws -> SecretBytes {
        let secret = try file(path, limit: limit)
        secret.dropFinalNewline()
        guard secret.count > 0 else { throw Failure.failed("\(path): no \(name) in it", status: MAM_ERR_EMPTY) }
        return secret
    }

    /// An option that is JSON, or `@FILE` to read it from.
    static func json(_ argument: String, option: String) throws -> JSON {
        try argument.hasPrefix("@") ? jsonFile(String(argument.dropFirst())) : parse(argument, name: option)
    }

    /// The JSON in a file; `-` is standard input.
    static func jsonFile(_ path: String) throws -> JSON {
        let name = path == "-" ? "standard input" : path
        let text = try file(path, limit: longestJSON).withBytes { bytes in
            guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
                throw Failure.failed("\(name) is UTF-16; save it as UTF-8", status: MAM_ERR_JSON)
            }
            let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
            guard let text = String(validating: content, as: UTF8.self) else {
                throw Failure.failed("\(name) is not UTF-8", status: MAM_ERR_JSON)
            }
            return text
        }
        return try parse(text, name: name)
    }

    private static func parse(_ text: String, name: String) throws -> JSON {
        do {
            return try JSON(parsing: text)
        } catch {
            throw Failure.failed("\(name): \(error.message)", status: MAM_ERR_JSON)
        }
    }

    private static func read(_ descriptor: Int32, limit: Int, name: String) throws -> SecretBytes {
        let bytes = SecretBytes()
        while true {
            // One byte more than the limit tells too much from just enough.
            let count = bytes.fill(upTo: limit + 1) { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR else { throw unreadable(name) }
            } else if bytes.count > limit {
                throw Failure.failed(
                    "\(name) is longer than \(size(limit)), the most that is read", status: MAM_ERR_ARGUMENT)
            } else if count == 0 {
                return bytes
            }
        }
    }

    static func unreadable(_ name: String) -> Failure {
        let code = errno
        let status = code == ENOENT ? MAM_ERR_NOT_FOUND : code == EACCES ? MAM_ERR_PERMISSION : MAM_ERR_IO
        return Failure.failed("\(name): \(Surroundings.describe(code))", status: status)
    }

    private static func size(_ bytes: Int) -> String {
        bytes >= 1 << 20 ? "\(bytes >> 20) MiB" : "\(bytes) bytes"
    }
}
