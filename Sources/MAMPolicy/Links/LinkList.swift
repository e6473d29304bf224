import MAMSupport

/// A list of web links, ready to be compared with: one text, and where its entries stand in it.
struct LinkList: Sendable {
    private let text: [UInt8]
    private let patterns: [LinkPattern]

    /// Entries that are no patterns match nothing.
    init(_ entries: some Sequence<String>) {
        var text: [UInt8] = []
        var patterns: [LinkPattern] = []
        for entry in entries {
            let start = text.count
            text += entry.utf8
            if let pattern = LinkPattern(text, from: start) {
                for index in pattern.host { text[index] = LinkScheme.folded(text[index]) }
                patterns.append(pattern)
            } else {
                text.removeSubrange(start...)
            }
        }
        self.text = text
        self.patterns = patterns
    }

    /// Whether an entry means the site.
    func contains(_ site: Site, of link: Link) -> Bool {
        guard site.isHostPlain else { return false }
        // Spans: nothing is counted in the loop.
        let (bytes, text, patterns) = (link.bytes.span, text.span, patterns.span)
        var path: SitePath?
        for index in patterns.indices where patterns[index].matchesHost(of: site, in: bytes, text) {
            // Long paths are read once, whatever number of entries mean the host.
            let known = path ?? SitePath(of: site, in: link.bytes)
            if patterns[index].matchesPath(known, in: bytes, text) { return true }
            path = known
        }
        return false
    }

    /// Whether this is an entry that can match.
    static func isEntry(_ text: String) -> Bool { LinkPattern(Array(text.utf8), from: 0) != nil }
}
