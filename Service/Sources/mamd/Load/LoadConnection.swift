import Foundation
import MAMAuthority
import MAMMessages
import MAMSupport

/// How a thread of a load reaches the service.
protocol LoadConnection {
    func exchange(_ request: TransportRequest) -> Result<TransportReply, TransportFailure>
}

/// By the library's own client: a connection with TLS for each request.
struct SecureConnection: LoadConnection {
    let transport: CurlTransport

    func exchange(_ request: TransportRequest) -> Result<TransportReply, TransportFailure> {
        do throws(TransportFailure) { return .success(try transport.exchange(request)) } catch {
            return .failure(error)
        }
    }
}

/// Without TLS, to one of several addresses, over a connection that is kept for a while. The service's own address is in the field Host.
final class PlainConnection: LoadConnection {
    private let addresses: [ListenAddress]
    private var descriptor: Int32 = -1
    private var uses = 0
    private var buffer: [UInt8] = []

    /// The requests of a connection, so that all instances are met.
    private static let mostUses = 50
    private static let longestHead = 16_384

    init(_ addresses: [ListenAddress]) { self.addresses = addresses }

    deinit { close() }

    func exchange(_ request: TransportRequest) -> Result<TransportReply, TransportFailure> {
        if uses >= PlainConnection.mostUses { close() }
        let isKept = descriptor >= 0
        let first = exchanged(request)
        // The service may have closed a connection that was kept.
        guard case .failure(let failure) = first, isKept, failure.kind != .timeout else { return first }
        return exchanged(request)
    }

    private func exchanged(_ request: TransportRequest) -> Result<TransportReply, TransportFailure> {
        do throws(TransportFailure) {
            if descriptor < 0 { try open() }
            uses += 1
            try send(request)
            return .success(try receive())
        } catch {
            close()
            return .failure(error)
        }
    }

    private func open() throws(TransportFailure) {
        guard let address = addresses.randomElement() else { throw TransportFailure(.noName, "no address") }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, String(address.port), &hints, &found) == 0, let first = found else {
            throw TransportFailure(.noName, "\(address.host) has no address")
        }
        defer { freeaddrinfo(found) }
        descriptor = socket(
            first.pointee.ai_family, first.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
        var time = timeval(tv_sec: 30, tv_usec: 0)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard connect(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0 else {
            throw TransportFailure(.noAnswer, "\(address): \(PrivateFile.reason())")
        }
    }

    private func close() {
        if descriptor >= 0 { Foundation.close(descriptor) }
        (descriptor, uses, buffer) = (-1, 0, [])
    }

    private func send(_ request: TransportRequest) throws(TransportFailure) {
        let rest = request.url.dropFirst("https://".count)
        let host = rest.prefix { $0 != "/" }
        var head = "\(request.method) \(rest.dropFirst(host.count)) HTTP/1.1\r\nhost: \(host)\r\n"
        for (name, value) in request.fields { head += "\(name): \(value)\r\n" }
        let bytes = Array((head + "content-length: \(request.body.count)\r\n\r\n").utf8) + request.body
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { memory in
                Foundation.send(
                    descriptor, memory.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { throw TransportFailure(.failed, "sending fails: \(PrivateFile.reason())") }
            sent += count
        }
    }

    private func receive() throws(TransportFailure) -> TransportReply {
        var end: Int?
        while end == nil {
            guard buffer.count < PlainConnection.longestHead else { throw TransportFailure(.tooLarge, "a long head") }
            try read()
            end = PlainConnection.endOfHead(buffer)
        }
        let lines = String(decoding: buffer.prefix(end ?? 0), as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else { throw TransportFailure(.failed, "no HTTP") }
        let fields: [MessageField] = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return (line[..<colon].lowercased(), value)
        }
        let length = fields.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
        guard (0...CurlTransport.longestReply).contains(length) else {
            throw TransportFailure(.tooLarge, "a long body")
        }
        let begin = (end ?? 0) + 4
        while buffer.count < begin + length { try read() }
        let body = Array(buffer[begin..<begin + length])
        buffer.removeFirst(begin + length)
        if fields.contains(where: { $0.name == "connection" && $0.value.lowercased() == "close" }) { close() }
        return TransportReply(status: status, fields: fields, body: body)
    }

    private func read() throws(TransportFailure) {
        var piece = [UInt8](repeating: 0, count: 16_384)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else {
            let isLate = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
            throw TransportFailure(isLate ? .timeout : .failed, "the connection has ended")
        }
        buffer += piece.prefix(count)
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...bytes.count - 4).first {
            bytes[$0] == 13 && bytes[$0 + 1] == 10 && bytes[$0 + 2] == 13 && bytes[$0 + 3] == 10
        }
    }
}
