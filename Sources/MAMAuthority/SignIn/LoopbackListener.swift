import CTransport
import MAMSupport

/// Listens on 127.0.0.1 for the browser that comes back from the provider. Nothing waits: it is asked now and then. One thread at a time
/// uses it; a forked child closes what it inherits.
final class LoopbackListener: @unchecked Sendable {
    private let loopback: OpaquePointer

    /// Listen at a port, 0 for any; nil where the system refuses it.
    init?(port: UInt16) {
        guard let opened = loopback_open(port) else { return nil }
        loopback = opened
    }

    deinit { loopback_free(loopback) }

    /// The port.
    var port: UInt16 { loopback_port(loopback) }

    /// A request whose head has come. It has to be answered before the next one is asked for.
    struct Request {
        fileprivate let index: Int32
        /// "GET /path?query HTTP/1.1", or whatever came; it may have a code.
        let line: SecretBytes
    }

    /// The next request that waits; nil for none. `now` in milliseconds.
    func next(now: Int64) throws(MAMError) -> Request? {
        let index = loopback_next(loopback, now)
        guard index >= 0 else { return nil }
        var length = 0
        let head = loopback_head(loopback, index, &length)
        let line = UnsafeRawBufferPointer(start: head, count: length).prefix { $0 != 0x0D && $0 != 0x0A }
        return Request(index: index, line: try SecretBytes(copying: UnsafeRawBufferPointer(rebasing: line)))
    }

    /// Answer a request with a page of plain text.
    func answer(_ request: Request, _ status: String, _ text: String) {
        let body = text + "\n"
        let reply =
            "HTTP/1.1 \(status)\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: \(body.utf8.count)\r\n"
            + "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
            + "Content-Security-Policy: default-src 'none'\r\nConnection: close\r\n\r\n\(body)"
        reply.utf8CString.withUnsafeBufferPointer { bytes in
            if let base = bytes.baseAddress { loopback_answer(loopback, request.index, base, bytes.count - 1) }
        }
    }
}
