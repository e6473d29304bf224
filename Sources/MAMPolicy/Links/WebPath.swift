/// The path of a web link, parsed only if a list entry matches the host.
struct WebPath {
    /// The path, up to the query or fragment.
    let range: Range<Int>
    /// Whether the path has no dot segments and no encoded characters that could form one.
    let isPlain: Bool

    init(of origin: WebOrigin, in bytes: [UInt8]) {
        range = origin.pathStart..<WebOrigin.endOfPath(in: bytes, from: origin.pathStart)
        isPlain = LinkPath.isPlain(bytes[range])
    }
}
