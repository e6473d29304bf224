import CMam
import Glibc
import MAMValues

/// The socket at which `mamctl events --follow` accepts answers of `mamctl answer`. Its directory must be accessible by its owner
/// alone.
///
/// A request is {"id":7,"answer":{…}} or {"id":7,"secret":16} and a newline, followed by the bytes of the secret. The reply is a
/// line of JSON with the result of mam_answer or mam_answer_secret.
final class ControlSocket {
    /// The timeout of a client, in seconds.
    private static let patience = 2
    private static let maximumRequestLength = 4 << 20

    let descriptor: Int32
    private let path: String

    /// Listen at a path.
    init(path: String) throws {
        try ControlSocket.checkFolder(of: path)
        try ControlSocket.removeStale(path)
        descriptor = try UnixSocket.make()
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        self.path = path
        let former = umask(0o077)
        defer { umask(former) }
        guard try UnixSocket.withAddress(path, "--control", { bind(descriptor, $0, $1) }) == 0,
            Glibc.listen(descriptor, 8) == 0
        else {
            let code = errno
            close(descriptor)
            throw CommandError.failed("\(path): \(ProcessEnvironment.errorText(code))")
        }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// Answer all waiting requests with the replies that `answer` returns.
    func serve(_ answer: (_ request: JSON, _ secret: SecretBuffer?) -> String) {
        while true {
            let client = accept(descriptor, nil, nil)
            guard client >= 0 else { return }
            defer { close(client) }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            UnixSocket.limit(client, seconds: ControlSocket.patience)
            guard let (request, secret) = try? ControlSocket.read(client) else { continue }
            _ = UnixSocket.write(client, Array("\(answer(request, secret))\n".utf8))
        }
    }

    /// Send a request to the listener at a path, and return the reply.
    static func ask(_ path: String, _ request: JSON, secret: SecretBuffer?) throws -> JSON {
        let client = try UnixSocket.make()
        defer { close(client) }
        guard try UnixSocket.withAddress(path, "--control", { connect(client, $0, $1) }) == 0 else {
            let code = errno
            throw CommandError.failed(
                "\(path): no program listens there (\(ProcessEnvironment.errorText(code))); start 'mamctl events --follow --control'",
                status: MAM_ERR_NOT_FOUND)
        }
        UnixSocket.limit(client, seconds: patience)
        var sent = UnixSocket.write(client, Array("\(request.text)\n".utf8))
        if let secret { sent = sent && secret.withBytes { UnixSocket.write(client, $0) } }
        guard sent, let line = try? readLine(client), let reply = try? JSON(parsing: line) else {
            throw CommandError.failed(
                "\(path): no reply came; the one who listens may have ended", status: MAM_ERR_TIMEOUT)
        }
        return reply
    }

    // MARK: Protocol

    private static func read(_ client: Int32) throws -> (JSON, SecretBuffer?) {
        let request = try JSON(parsing: try readLine(client))
        let length: Int
        switch request["secret"] {
        case .integer(let number) where 0...Int64(QuestionDelegate.maximumTokenLength) ~= number: length = Int(number)
        case .integer, .decimal: throw CommandError.failed("the secret's length is not one")
        default: return (request, nil)
        }
        let secret = SecretBuffer()
        while secret.count < length {
            guard secret.fill(upTo: length, { Glibc.read(client, $0.baseAddress, $0.count) }) > 0 else {
                throw CommandError.failed("the secret is cut")
            }
        }
        return (request, secret)
    }

    /// Reads single bytes, so that no part of a secret after the line enters this buffer.
    private static func readLine(_ client: Int32) throws -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while Glibc.read(client, &byte, 1) == 1, line.count < maximumRequestLength {
            guard byte != UInt8(ascii: "\n") else {
                guard let text = String(validating: line, as: UTF8.self) else { break }
                return text
            }
            line.append(byte)
        }
        throw CommandError.failed("no whole line came")
    }

    // MARK: Socket

    private static func checkFolder(of path: String) throws {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var facts = stat()
        guard stat(folder, &facts) == 0 else {
            throw CommandError.failed("\(folder): \(ProcessEnvironment.errorText(errno))", status: MAM_ERR_NOT_FOUND)
        }
        guard facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == geteuid(), facts.st_mode & 0o077 == 0 else {
            throw CommandError.failed(
                "\(folder): the folder of --control must be yours alone (mkdir -m 700)",
                status: MAM_ERR_PERMISSION)
        }
    }

    /// Remove the socket of a killed process; fail for one that accepts connections, and for another file.
    private static func removeStale(_ path: String) throws {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return }
        guard facts.st_mode & S_IFMT == S_IFSOCK else {
            throw CommandError.failed("\(path): is there, and no socket", status: MAM_ERR_ALREADY)
        }
        let client = try UnixSocket.make()
        defer { close(client) }
        guard try UnixSocket.withAddress(path, "--control", { connect(client, $0, $1) }) != 0 else {
            throw CommandError.failed("\(path): another mamctl listens there", status: MAM_ERR_ALREADY)
        }
        unlink(path)
    }
}
