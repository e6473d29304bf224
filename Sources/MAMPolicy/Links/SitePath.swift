/// The path of a web link: read only where an entry of a list means the host.
struct SitePath {
    /// Up to the query or the fragment.
    let range: Range<Int>
    /// Whether it is what it looks like: no dot segments, nothing encoded that could make one.
    let isPlain: Bool

    init(of site: Site, in bytes: [UInt8]) {
        range = site.pathStart..<Site.first(of: "?#", in: bytes, from: site.pathStart)
        isPlain = LinkPath.isPlain(bytes[range])
    }
}
