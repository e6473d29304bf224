import CMam
import Glibc

/// Sockets of this computer: what both ends of one need.
enum UnixSocket {
    static func make() throws -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw CommandError.failed("a socket: \(ProcessEnvironment.errorText(errno))") }
        return descriptor
    }

    /// Limit the time that each read and write of a socket may take.
    static func limit(_ descriptor: Int32, seconds: Int) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Call `body` with the address of a path, which `option` gave.
    static func withAddress(
        _ path: String, _ option: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw CommandError.usage("\(option): a socket's path has at most 107 bytes; choose a shorter one")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Write all bytes; false where the other end is gone.
    static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { write(descriptor, $0) }
    }

    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let written = send(descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}
