import Foundation
import MAMSupport

/// A connection to the socket of a running service.
struct AdminClient {
    private let descriptor: Int32

    init(_ path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Failure("\(path): a socket's path has at most 107 bytes")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else {
            let reason = PrivateFile.reason()
            Foundation.close(descriptor)
            throw Failure("\(path): no service listens there: \(reason)")
        }
    }

    /// Whether a path is a socket.
    static func isOne(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFSOCK
    }

    /// Send a request, and return the reply.
    func ask(_ request: JSON) throws -> JSON {
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        // A service that refuses the user answers without reading on.
        try? file.write(contentsOf: Data(request.utf8 + [UInt8(ascii: "\n")]))
        let line = try file.readToEnd() ?? Data()
        guard let reply = try? JSON(parsing: String(decoding: line, as: UTF8.self), limit: 64 << 20) else {
            throw Failure("the service did not answer; whether it has done what was asked is not known")
        }
        return reply
    }

    func close() { Foundation.close(descriptor) }
}
