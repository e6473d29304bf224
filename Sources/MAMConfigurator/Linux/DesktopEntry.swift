import MAMValues

/// The `.desktop` file of an app.
public enum DesktopEntry {
    private static let group = "[Desktop Entry]"

    /// Add the handler of each scheme's counterpart to the media types, so that managed apps can open this one.
    ///
    /// Fails where the bytes are no text in UTF-8, have no group "Desktop Entry", or have MimeType or Exec in it twice.
    public static func configure(_ bytes: [UInt8]) throws(ConfiguratorError) -> Configured {
        let entry = try entries(bytes, ["MimeType", "Exec"])
        var configured = Configured(bytes: bytes)
        guard let types = entry["MimeType"] else {
            configured.warnings.append("has no MimeType: without a scheme of its own no app can open this one")
            return configured
        }
        let items = items(types, in: bytes)
        guard items.contains(where: { SchemeHandler.isHandler(text($0, bytes)) }) else {
            configured.warnings.append(
                "has no x-scheme-handler in MimeType: without a scheme of its own no app can open this one")
            return configured
        }
        var present = Set(items.map { SchemeHandler.folded(text($0, bytes)) })
        var edits = ByteEdits()
        for item in items {
            guard let counterpart = SchemeHandler.counterpart(of: text(item, bytes)),
                present.insert(SchemeHandler.folded(counterpart)).inserted
            else { continue }
            edits.insert(";\(counterpart)", at: item.upperBound)
            configured.changes.append("MimeType: added \(counterpart)")
        }
        configured.bytes = edits.applied(to: bytes)
        if let exec = entry["Exec"], !["%u", "%U"].contains(where: { words(exec, bytes).contains($0) }) {
            configured.warnings.append("has no %u or %U in Exec: a link that opens the app does not reach it")
        }
        return configured
    }

    private static func text(_ range: Range<Int>, _ bytes: [UInt8]) -> String { TextLines.text(range, in: bytes) }

    private static func words(_ range: Range<Int>, _ bytes: [UInt8]) -> [String] {
        text(range, bytes).split { $0 == " " || $0 == "\t" || $0 == "\"" }.map(String.init)
    }

    /// The values of keys in the group of the app.
    private static func entries(_ bytes: [UInt8], _ keys: [String]) throws(ConfiguratorError) -> [String: Range<Int>] {
        var entries: [String: Range<Int>] = [:]
        var groups = 0
        var isInGroup = false
        for (index, line) in try TextLines.of(bytes).enumerated() {
            let content = TextLines.trimmed(line, in: bytes)
            guard let first = bytes[content].first, first != UInt8(ascii: "#") else { continue }
            if first == UInt8(ascii: "[") {
                isInGroup = text(content, bytes) == group
                groups += isInGroup ? 1 : 0
                continue
            }
            guard isInGroup else { continue }
            guard let sign = bytes[content].firstIndex(of: UInt8(ascii: "=")) else {
                throw ConfiguratorError("has neither a group, a key nor a comment", line: index + 1)
            }
            let key = text(TextLines.trimmed(content.lowerBound..<sign, in: bytes), bytes)
            guard keys.contains(key) else { continue }
            guard entries[key] == nil else { throw ConfiguratorError("has \(key) twice", line: index + 1) }
            entries[key] = TextLines.trimmed((sign + 1)..<content.upperBound, in: bytes)
        }
        guard groups == 1 else {
            throw ConfiguratorError("has the group \(group) \(groups) times; it must have it once")
        }
        return entries
    }

    /// The items of a list, without the semicolons between them.
    private static func items(_ list: Range<Int>, in bytes: [UInt8]) -> [Range<Int>] {
        bytes[list].split(separator: UInt8(ascii: ";")).map { $0.startIndex..<$0.endIndex }
            .map { TextLines.trimmed($0, in: bytes) }.filter { !$0.isEmpty }
    }
}
