import MAMSupport

/// One entry of a list of web links; docs/policy.md "Links". It stores ranges of the list's text.
struct LinkPattern: Sendable, Equatable {
    /// The hosts that an entry matches.
    enum HostScope: Sendable, Equatable {
        /// "zoom.us": the host itself.
        case host
        /// "*.zoom.us": its subdomains.
        case subdomains
        /// "*zoom.us": both.
        case hostAndSubdomains
    }

    let isSecure: Bool
    let port: UInt16
    let scope: HostScope
    let host: Range<Int>
    let path: Range<Int>
    /// Whether the entry matches every path with this prefix ("…*"), or this path alone.
    let isPrefix: Bool

    /// Parses an entry such as "https://*.zoom.us:8443/j/*" from `start` to the end of `text`. Returns nil for another scheme,
    /// a missing or invalid host, an address, and a wildcard in the port, within the path or for a whole top-level domain.
    init?(_ text: [UInt8], from start: Int) {
        guard let colon = text[start...].firstIndex(of: UInt8(ascii: ":")),
            case .web(let isSecure)? = LinkScheme.scheme(text[start..<colon]).map(LinkScheme.family)
        else { return nil }
        let star = UInt8(ascii: "*"), dot = UInt8(ascii: ".")
        var rest = text[(colon + 1)...]
        guard rest.starts(with: "//".utf8) else { return nil }
        rest = rest.dropFirst(2)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        var path = rest[authority.endIndex...]
        var host = authority.prefix { $0 != UInt8(ascii: ":") }
        guard let port = LinkPattern.port(authority[host.endIndex...], isSecure: isSecure) else { return nil }
        var scope = HostScope.host
        if host.first == star {
            host = host.dropFirst()
            scope = host.first == dot ? .subdomains : .hostAndSubdomains
            if scope == .subdomains { host = host.dropFirst() }
            guard HostName.labels(host) > 1 else { return nil }
        }
        guard HostName.isPlain(host) else { return nil }
        let isPrefix = path.last == star
        if isPrefix { path = path.dropLast() }
        guard LinkPath.isPlain(path),
            !path.contains(where: { "*?#@".utf8.contains($0) || $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") })
        else { return nil }
        self.isSecure = isSecure
        self.port = port
        self.scope = scope
        self.host = host.startIndex..<host.endIndex
        self.path = path.startIndex..<path.endIndex
        self.isPrefix = isPrefix
    }

    private static func port(_ text: ArraySlice<UInt8>, isSecure: Bool) -> UInt16? {
        if text.isEmpty { return WebOrigin.defaultPort(isSecure: isSecure) }
        let digits = text.dropFirst()
        guard (1...5).contains(digits.count), digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self))
    }

    /// Returns whether the entry matches the origin's host. Reads each byte at most once.
    func matchesHost(of origin: WebOrigin, in bytes: Span<UInt8>, _ text: Span<UInt8>) -> Bool {
        guard isSecure == origin.isSecure, port == origin.port, origin.isHostPlain else { return false }
        let ahead = origin.host.count - host.count
        guard ahead == 0 ? scope != .subdomains : ahead > 0 && scope != .host else { return false }
        if ahead > 0, bytes[origin.host.lowerBound + ahead - 1] != UInt8(ascii: ".") { return false }
        for offset in 0..<host.count
        where LinkScheme.folded(bytes[origin.host.lowerBound + ahead + offset]) != text[host.lowerBound + offset] {
            return false
        }
        return true
    }

    /// Returns whether the entry matches the path of an origin whose host it matches.
    func matchesPath(_ path: LinkPath, in bytes: Span<UInt8>, _ text: Span<UInt8>) -> Bool {
        // An empty path equals "/", in links and in patterns.
        if self.path.count <= 1 { return isPrefix || path.range.count <= 1 }
        guard path.isPlain, isPrefix ? path.range.count >= self.path.count : path.range.count == self.path.count else {
            return false
        }
        for offset in 0..<self.path.count
        where bytes[path.range.lowerBound + offset] != text[self.path.lowerBound + offset] {
            return false
        }
        return true
    }
}
