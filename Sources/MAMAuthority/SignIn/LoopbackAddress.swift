import MAMSupport

/// An address on this computer to which a browser comes back (RFC 8252): http://127.0.0.1 or http://localhost, a port and a path.
public struct LoopbackAddress: Equatable, Sendable {
    /// "127.0.0.1" or "localhost", as the provider knows it.
    let host: String
    /// The port; 0 for any.
    let port: UInt16
    /// The path, which begins with a slash.
    let path: String

    /// An address of libmam's choice.
    static let own = LoopbackAddress(host: "127.0.0.1", port: 0, path: "/")

    private init(host: String, port: UInt16, path: String) { (self.host, self.port, self.path) = (host, port, path) }

    /// Read a URI; nil for any other.
    public init?(_ uri: String) {
        guard VisibleText.is(uri, upTo: 512), uri.utf8.starts(with: "http://".utf8) else { return nil }
        let rest = uri.dropFirst("http://".count)
        let place = rest.prefix { $0 != "/" }
        let parts = place.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first.map(String.init), host == "127.0.0.1" || host == "localhost", parts.count <= 2
        else { return nil }
        let digits = parts.count == 2 ? parts[1] : "0"
        guard let port = UInt16(digits), digits.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        let path = String(rest.dropFirst(place.count))
        guard !path.utf8.contains(where: { [UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "%")].contains($0) })
        else { return nil }
        self.init(host: host, port: port, path: path.isEmpty ? "/" : path)
    }

    /// The URI at a port.
    func uri(port: UInt16) -> String { "http://\(host):\(port)\(path)" }
}
