import CMam
import Glibc
import MAMValues

/// The socket at which a running service (mamd) performs the actions of administrators: a request is a line of JSON, the reply a
/// line with "reply" or "error". The service knows who asks by the socket.
enum ServiceSocket {
    /// The time for the service's reply, in seconds.
    private static let patience = 60

    /// Whether a path is a socket.
    static func isOne(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFSOCK
    }

    /// Perform an action, and return the reply.
    static func administer(_ path: String, _ request: String) throws -> String {
        let client = try UnixSocket.make()
        defer { close(client) }
        guard try UnixSocket.withAddress(path, "--authority", { connect(client, $0, $1) }) == 0 else {
            let code = errno
            throw CommandError.failed(
                "\(path): no service answers there (\(ProcessEnvironment.errorText(code))); start mamd, or run this as one of its "
                    + "administrators",
                status: code == EACCES ? MAM_ERR_PERMISSION : MAM_ERR_NOT_FOUND)
        }
        UnixSocket.limit(client, seconds: patience)
        // A service that refuses the user answers without reading on: only the reply says why.
        _ = UnixSocket.write(client, Array("\(request)\n".utf8))
        let line = SecretBuffer()
        while line.fill(upTo: Input.maximumJSONLength, { Glibc.read(client, $0.baseAddress, $0.count) }) > 0 {}
        guard let text = line.withBytes({ String(validating: $0, as: UTF8.self) }), let json = try? JSON(parsing: text)
        else {
            throw CommandError.failed(
                "\(path): the service did not answer; whether it has done what was asked is not known",
                status: MAM_ERR_TIMEOUT)
        }
        guard json["error"].members.isEmpty else { throw CommandError.library(json["error"]) }
        return json["reply"].text
    }
}
