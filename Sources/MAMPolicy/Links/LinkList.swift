import MAMSupport

/// A list of web link patterns, parsed for matching: one text, and the ranges of its entries.
struct LinkList: Sendable {
    private let text: [UInt8]
    private let patterns: [LinkPattern]

    /// Parses entries. Entries that are not patterns match nothing.
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

    /// Returns whether an entry matches the link.
    func contains(_ origin: WebOrigin, of link: Link) -> Bool {
        guard origin.isHostPlain else { return false }
        // Spans avoid reference counting in the loop.
        let (bytes, text, patterns) = (link.bytes.span, text.span, patterns.span)
        var path: LinkPath?
        for index in patterns.indices where patterns[index].matchesHost(of: origin, in: bytes, text) {
            // The path is parsed once, however many entries match the host.
            let known = path ?? LinkPath(of: origin, in: link.bytes)
            if patterns[index].matchesPath(known, in: bytes, text) { return true }
            path = known
        }
        return false
    }

    /// Returns whether an entry is a valid pattern.
    static func isEntry(_ text: String) -> Bool { LinkPattern(Array(text.utf8), from: 0) != nil }
}
