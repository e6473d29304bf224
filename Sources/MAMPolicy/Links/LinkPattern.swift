import MAMSupport

/// One entry of a list of web links; semantics.md 12.4. It is cheap to hold: its text stands in the list's.
struct LinkPattern: Sendable, Equatable {
    /// Which hosts.
    enum Reach: Sendable, Equatable {
        /// "zoom.us": this one.
        case host
        /// "*.zoom.us": those below it.
        case below
        /// "*zoom.us": both.
        case hostAndBelow
    }

    let isSecure: Bool
    let port: UInt16
    let reach: Reach
    let host: Range<Int>
    let path: Range<Int>
    /// Whether it takes whatever begins with the path ("…*"), or that page alone.
    let isPrefix: Bool

    /// Read "https://*.zoom.us:8443/j/*" as it stands in `text` from `start` to the end; nil where it is no pattern: another
    /// scheme, no or an odd host, an address, a wildcard for a port, in mid-path or for a whole top-level domain.
    init?(_ text: [UInt8], from start: Int) {
        guard let colon = text[start...].firstIndex(of: UInt8(ascii: ":")),
            case .web(let isSecure)? = LinkScheme.scheme(text[start..<colon]).map(LinkScheme.family)
        else { return nil }
        let star = UInt8(ascii: "*"), dot = UInt8(ascii: ".")
        var site = text[(colon + 1)...]
        guard site.starts(with: "//".utf8) else { return nil }
        site = site.dropFirst(2)
        let authority = site.prefix { $0 != UInt8(ascii: "/") }
        var path = site[authority.endIndex...]
        var host = authority.prefix { $0 != UInt8(ascii: ":") }
        guard let port = LinkPattern.port(authority[host.endIndex...], isSecure: isSecure) else { return nil }
        var reach = Reach.host
        if host.first == star {
            host = host.dropFirst()
            reach = host.first == dot ? .below : .hostAndBelow
            if reach == .below { host = host.dropFirst() }
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
        self.reach = reach
        self.host = host.startIndex..<host.endIndex
        self.path = path.startIndex..<path.endIndex
        self.isPrefix = isPrefix
    }

    private static func port(_ text: ArraySlice<UInt8>, isSecure: Bool) -> UInt16? {
        if text.isEmpty { return Site.defaultPort(isSecure: isSecure) }
        let digits = text.dropFirst()
        guard (1...5).contains(digits.count), digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self))
    }

    /// Whether a site's host is meant. Each byte of it is looked at once at most.
    func matchesHost(of site: Site, in bytes: Span<UInt8>, _ text: Span<UInt8>) -> Bool {
        guard isSecure == site.isSecure, port == site.port, site.isHostPlain else { return false }
        let ahead = site.host.count - host.count
        guard ahead == 0 ? reach != .below : ahead > 0 && reach != .host else { return false }
        if ahead > 0, bytes[site.host.lowerBound + ahead - 1] != UInt8(ascii: ".") { return false }
        for offset in 0..<host.count
        where LinkScheme.folded(bytes[site.host.lowerBound + ahead + offset]) != text[host.lowerBound + offset] {
            return false
        }
        return true
    }

    /// Whether a site's path is meant, where its host is.
    func matchesPath(_ path: SitePath, in bytes: Span<UInt8>, _ text: Span<UInt8>) -> Bool {
        // No path is the path "/", for links and patterns.
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
