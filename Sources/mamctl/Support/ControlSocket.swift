import CMam
import Glibc

/// A socket of a following `mamctl events`, through which `mamctl answer` answers its questions. Only its owner reaches it:
/// it stands in a folder that is nobody else's.
///
/// A request is {"id":7,"answer":{…}} or {"id":7,"secret":16} and a newline, then as many bytes of the secret. The reply is
/// a line of JSON: what mam_answer or mam_answer_secret said.
final class ControlSocket {
    /// A client that says nothing keeps nobody for longer.
    private static let patience = 2
    private static let longestRequest = 4 << 20

    let descriptor: Int32
    private let path: String

    /// Listen at a path.
    init(path: String) throws {
        try ControlSocket.checkFolder(of: path)
        try ControlSocket.removeStale(path)
        descriptor = try ControlSocket.make()
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        self.path = path
        let former = umask(0o077)
        defer { umask(former) }
        guard try ControlSocket.withAddress(path, { bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, 8) == 0
        else {
            let code = errno
            close(descriptor)
            throw Failure.failed("\(path): \(Surroundings.describe(code))")
        }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// Answer every request that waits, each with what `answer` makes of it.
    func serve(_ answer: (_ request: JSON, _ secret: SecretBytes?) -> String) {
        while true {
            let client = accept(descriptor, nil, nil)
            guard client >= 0 else { return }
            defer { close(client) }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            ControlSocket.limit(client)
            guard let (request, secret) = try? ControlSocket.read(client) else { continue }
            _ = ControlSocket.write(client, Array("\(answer(request, secret))\n".utf8))
        }
    }

    /// Ask the one who listens at a path; the reply.
    static func ask(_ path: String, _ request: JSON, secret: SecretBytes?) throws -> JSON {
        let client = try make()
        defer { close(client) }
        guard try withAddress(path, { connect(client, $0, $1) }) == 0 else {
            let code = errno
            throw Failure.failed(
                "\(path): nobody listens there (\(Surroundings.describe(code))); start 'mamctl events --follow --control'",
                status: MAM_ERR_NOT_FOUND)
        }
        limit(client)
        var sent = write(client, Array("\(request.text)\n".utf8))
        if let secret { sent = sent && secret.withBytes { write(client, $0) } }
        guard sent, let line = try? readLine(client), let reply = try? JSON(parsing: line) else {
            throw Failure.failed("\(path): no reply came; the one who listens may have ended", status: MAM_ERR_TIMEOUT)
        }
        return reply
    }

    // MARK: The wire

    private static func read(_ client: Int32) throws -> (JSON, SecretBytes?) {
        let request = try JSON(parsing: try readLine(client))
        guard case .number(let text) = request["secret"] else { return (request, nil) }
        guard let length = Int(text), length >= 0, length <= HostAnswers.longestToken else {
            throw Failure.failed("the secret's length is not one")
        }
        let secret = SecretBytes()
        while secret.count < length {
            guard secret.fill(upTo: length, { Glibc.read(client, $0.baseAddress, $0.count) }) > 0 else {
                throw Failure.failed("the secret is cut")
            }
        }
        return (request, secret)
    }

    /// One byte at a time: what follows the line is a secret that belongs in no other memory.
    private static func readLine(_ client: Int32) throws -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while Glibc.read(client, &byte, 1) == 1, line.count < longestRequest {
            guard byte != UInt8(ascii: "\n") else {
                guard let text = String(validating: line, as: UTF8.self) else { break }
                return text
            }
            line.append(byte)
        }
        throw Failure.failed("no whole line came")
    }

    private static func write(_ client: Int32, _ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { write(client, $0) }
    }

    private static func write(_ client: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let written = send(client, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }

    // MARK: The socket

    private static func make() throws -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw Failure.failed("a socket: \(Surroundings.describe(errno))") }
        return descriptor
    }

    private static func limit(_ client: Int32) {
        var time = timeval(tv_sec: patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(client, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Failure.usage("--control: a socket's path has at most 107 bytes; choose a shorter one")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func checkFolder(of path: String) throws {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var facts = stat()
        guard stat(folder, &facts) == 0 else {
            throw Failure.failed("\(folder): \(Surroundings.describe(errno))", status: MAM_ERR_NOT_FOUND)
        }
        guard facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == geteuid(), facts.st_mode & 0o077 == 0 else {
            throw Failure.failed(
                "\(folder): the folder of --control must be yours and nobody else's (mkdir -m 700)",
                status: MAM_ERR_PERMISSION)
        }
    }

    /// A socket that a killed process left is removed; one that answers, or another file, is not.
    private static func removeStale(_ path: String) throws {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return }
        guard facts.st_mode & S_IFMT == S_IFSOCK else {
            throw Failure.failed("\(path): is there, and no socket", status: MAM_ERR_ALREADY)
        }
        let client = try make()
        defer { close(client) }
        guard try withAddress(path, { connect(client, $0, $1) }) != 0 else {
            throw Failure.failed("\(path): another mamctl listens there", status: MAM_ERR_ALREADY)
        }
        unlink(path)
    }
}
