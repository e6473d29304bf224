import CMam
import Glibc
import MAMValues

/// Reads standard input, files, and options that name either.
enum Input {
    /// The limit of mam_admin.
    static let maximumJSONLength = 16 << 20

    /// Read standard input, at most `limit` bytes.
    static func standard(limit: Int) throws -> SecretBuffer {
        try read(STDIN_FILENO, limit: limit, name: "standard input")
    }

    /// Read a file, at most `limit` bytes; `-` is standard input.
    static func file(_ path: String, limit: Int) throws -> SecretBuffer {
        try withFile(path) { try read($0, limit: limit, name: $1) }
    }

    /// Read the first bytes of a file, or all if there are fewer; `-` is standard input.
    static func prefix(_ count: Int, of path: String) throws -> SecretBuffer {
        try withFile(path) { descriptor, name in
            let bytes = SecretBuffer()
            while true {
                let added = bytes.fill(upTo: count) { Glibc.read(descriptor, $0.baseAddress, $0.count) }
                if added == 0 { return bytes }
                guard added > 0 || errno == EINTR else { throw unreadable(name) }
            }
        }
    }

    /// Call `body` with the descriptor and the name of a file; `-` is standard input.
    private static func withFile<Value>(_ path: String, _ body: (Int32, String) throws -> Value) throws -> Value {
        guard path != "-" else { return try body(STDIN_FILENO, "standard input") }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        return try body(descriptor, path)
    }

    /// The first bytes of a regular file; nil where it cannot be read or is shorter.
    static func beginning(of path: String, _ count: Int) -> [UInt8]? {
        let bytes = beginning(of: path, atMost: count)
        return bytes.count == count ? bytes : nil
    }

    /// The first bytes of a regular file, or all if there are fewer; none where it cannot be read.
    static func beginning(of path: UnsafePointer<CChar>, atMost count: Int) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let length = pread(descriptor, &bytes, count, 0)
        return Array(bytes.prefix(max(0, length)))
    }

    /// Read a secret without the newline at its end; `-` is standard input.
    static func secret(_ path: String, limit: Int, name: String) throws -> SecretBuffer {
        let secret = try file(path, limit: limit)
        secret.dropFinalNewline()
        guard secret.count > 0 else { throw CommandError.failed("\(path): no \(name) in it", status: MAM_ERR_EMPTY) }
        return secret
    }

    /// The JSON of an option, or of the file in `@FILE`.
    static func json(_ argument: String, option: String) throws -> JSON {
        try argument.hasPrefix("@") ? jsonFile(String(argument.dropFirst())) : parse(argument, name: option)
    }

    /// The JSON in a file; `-` is standard input.
    static func jsonFile(_ path: String) throws -> JSON {
        let name = path == "-" ? "standard input" : path
        return try parse(text(file(path, limit: maximumJSONLength), name: name, status: MAM_ERR_JSON), name: name)
    }

    /// The text of a file without a byte order mark. `status` is that of one that is not UTF-8.
    static func text(_ content: SecretBuffer, name: String, status: Int) throws -> String {
        try content.withBytes { bytes in
            guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
                throw CommandError.failed("\(name) is UTF-16; save it as UTF-8", status: status)
            }
            let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
            guard let text = String(validating: content, as: UTF8.self) else {
                throw CommandError.failed("\(name) is not UTF-8", status: status)
            }
            return text
        }
    }

    private static func parse(_ text: String, name: String) throws -> JSON {
        do {
            return try JSON(parsing: text)
        } catch {
            throw CommandError.failed("\(name): \(error.message ?? "not JSON")", status: MAM_ERR_JSON)
        }
    }

    static func read(_ descriptor: Int32, limit: Int, name: String) throws -> SecretBuffer {
        let bytes = SecretBuffer()
        while true {
            // Read one byte more, to detect input above the limit.
            let count = bytes.fill(upTo: limit + 1) { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR else { throw unreadable(name) }
            } else if bytes.count > limit {
                throw CommandError.failed(
                    "\(name) is longer than \(size(limit)), the most that is read", status: MAM_ERR_ARGUMENT)
            } else if count == 0 {
                return bytes
            }
        }
    }

    static func unreadable(_ name: String) -> CommandError {
        let code = errno
        let status = code == ENOENT ? MAM_ERR_NOT_FOUND : code == EACCES ? MAM_ERR_PERMISSION : MAM_ERR_IO
        return CommandError.failed("\(name): \(ProcessEnvironment.errorText(code))", status: status)
    }

    private static func size(_ bytes: Int) -> String {
        bytes >= 1 << 20 ? "\(bytes >> 20) MiB" : "\(bytes) bytes"
    }
}
