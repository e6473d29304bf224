import MAMValues

/// The AppStream metadata of an app: its `.metainfo.xml` or `.appdata.xml`.
public enum Metainfo {
    /// A media type that the metadata provides, and its element.
    private struct MediaType {
        let text: String
        let element: Range<Int>
        let name: String
    }

    /// Add the handler of each scheme's counterpart to the media types that the app provides.
    ///
    /// Fails where the bytes are not XML in UTF-8, declare entities, or have another root than "component".
    public static func configure(_ bytes: [UInt8]) throws(ConfiguratorError) -> Configured {
        try TextLines.check(bytes)
        var configured = Configured(bytes: bytes)
        let types = try mediaTypes(bytes)
        var present = Set(types.map { SchemeHandler.folded($0.text) })
        var edits = ByteEdits()
        for type in types {
            guard let counterpart = SchemeHandler.counterpart(of: type.text),
                present.insert(SchemeHandler.folded(counterpart)).inserted
            else { continue }
            let start = bytes[..<type.element.lowerBound].lastIndex { !$0.isXMLSpace }.map { $0 + 1 } ?? 0
            let space = TextLines.text(start..<type.element.lowerBound, in: bytes)
            edits.insert("\(space)<\(type.name)>\(counterpart)</\(type.name)>", at: type.element.upperBound)
            configured.changes.append("provides: added \(counterpart)")
        }
        configured.bytes = edits.applied(to: bytes)
        return configured
    }

    private static func mediaTypes(_ bytes: [UInt8]) throws(ConfiguratorError) -> [MediaType] {
        do throws(XMLError) { return try read(bytes) } catch { throw ConfiguratorError(error, in: bytes) }
    }

    private static func read(_ bytes: [UInt8]) throws(XMLError) -> [MediaType] {
        var xml = try XMLTokenizer(bytes)
        var types: [MediaType] = []
        var path: [String] = []
        var (start, text) = (0, [UInt8]())
        while let token = try xml.next() {
            let name = TextLines.text(token.name, in: bytes)
            switch token.kind {
            case .start:
                path.append(name)
                (start, text) = (token.range.lowerBound, [])
                guard path.first == "component" else {
                    throw XMLError(message: "the root must be <component>", offset: start)
                }
            case .end:
                if isMediaType(path) {
                    types.append(
                        MediaType(
                            text: trimmed(text), element: start..<token.range.upperBound, name: name))
                }
                path.removeLast()
            case .text where isMediaType(path):
                try XMLTokenizer.characters(of: token.content, in: bytes) { byte, _ in text.append(byte) }
            case .section where isMediaType(path): text += bytes[token.content]
            case .empty, .text, .section, .other: continue
            }
        }
        return types
    }

    /// `mediatype` is the name of today, `mimetype` the former one.
    private static func isMediaType(_ path: [String]) -> Bool {
        path == ["component", "provides", "mediatype"] || path == ["component", "mimetypes", "mimetype"]
    }

    private static func trimmed(_ text: [UInt8]) -> String {
        TextLines.text(TextLines.trimmed(0..<text.count, in: text), in: text)
    }
}
