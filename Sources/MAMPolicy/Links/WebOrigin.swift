import MAMSupport

/// The origin of a web link: its security, host and port, as ranges of the link's bytes.
struct WebOrigin: Sendable {
    let isSecure: Bool
    let host: Range<Int>
    /// Whether the host is a plain name: no user information, no encoding, no address, no characters beyond ASCII. Only a plain
    /// host can match a list.
    let isHostPlain: Bool
    let port: UInt16
    /// The offset of the path, which ``LinkPath`` parses.
    let pathStart: Int

    static func defaultPort(isSecure: Bool) -> UInt16 { isSecure ? 443 : 80 }
}

extension WebOrigin {
    /// Parses the bytes after the scheme's colon.
    init(_ bytes: [UInt8], from start: Int, isSecure: Bool) throws(LinkError) {
        let slash = UInt8(ascii: "/")
        guard bytes.count > start + 1, bytes[start] == slash, bytes[start + 1] == slash else { throw .noHost }
        let begin = start + 2
        let end = WebOrigin.endOfAuthority(in: bytes, from: begin)
        // The last "@" ends the user information. Programs disagree if there are two; such a host is never plain.
        let at = bytes[begin..<end].lastIndex(of: UInt8(ascii: "@"))
        let hostStart = at.map { $0 + 1 } ?? begin
        var hostEnd = end
        var port = WebOrigin.defaultPort(isSecure: isSecure)
        let isAddress = hostStart < end && bytes[hostStart] == UInt8(ascii: "[")
        if isAddress {
            guard let close = bytes[hostStart..<end].firstIndex(of: UInt8(ascii: "]")) else { throw .badHost }
            hostEnd = close + 1
            guard hostEnd == end || bytes[hostEnd] == UInt8(ascii: ":") else { throw .badHost }
        } else if let colon = bytes[hostStart..<end].firstIndex(of: UInt8(ascii: ":")) {
            hostEnd = colon
        }
        guard hostEnd > hostStart else { throw .noHost }
        if hostEnd < end, let stated = try WebOrigin.port(bytes[(hostEnd + 1)..<end]) { port = stated }
        self.init(
            isSecure: isSecure, host: hostStart..<hostEnd,
            isHostPlain: at == nil && !isAddress && HostName.isPlain(bytes[hostStart..<hostEnd]), port: port,
            pathStart: end)
    }

    /// The offset of the first "/", "?" or "#".
    private static func endOfAuthority(in bytes: [UInt8], from start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "/"), !endsPath(bytes[index]) { index += 1 }
        return index
    }

    /// The offset of the first "?" or "#".
    static func endOfPath(in bytes: [UInt8], from start: Int) -> Int {
        var index = start
        while index < bytes.count, !endsPath(bytes[index]) { index += 1 }
        return index
    }

    private static func endsPath(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }

    /// Returns nil for an empty port, which stands for the scheme's default.
    private static func port(_ digits: ArraySlice<UInt8>) throws(LinkError) -> UInt16? {
        if digits.isEmpty { return nil }
        guard digits.count <= 5, digits.allSatisfy(\.isASCIIDigit),
            let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { throw .badPort }
        return port
    }
}
