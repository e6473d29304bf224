import MAMValues

/// `finish-args` of a manifest in YAML, where it is a list with an argument on each line.
enum FlatpakYAML {
    static func arguments(_ bytes: [UInt8]) throws(ConfiguratorError) -> [FlatpakManifest.Argument] {
        let lines = try TextLines.of(bytes)
        var arguments: [FlatpakManifest.Argument] = []
        var isIn = false
        var hasKey = false
        for (index, line) in lines.enumerated() {
            let content = TextLines.trimmed(line, in: bytes)
            guard let first = bytes[content].first, first != UInt8(ascii: "#") else { continue }
            let isTop = content.lowerBound == line.lowerBound
            let isItem = first == UInt8(ascii: "-") && (content.count == 1 || bytes[content.lowerBound + 1].isXMLSpace)
            if isIn, isItem {
                arguments.append(try argument((content.lowerBound + 1)..<content.upperBound, line, bytes, index + 1))
                continue
            }
            guard isTop else {
                guard !isIn else { throw unread(index + 1) }
                continue
            }
            guard let value = valueOfKey(content, bytes) else {
                isIn = false
                continue
            }
            guard !hasKey else { throw ConfiguratorError("has finish-args twice", line: index + 1) }
            guard value.isEmpty || bytes[value.lowerBound] == UInt8(ascii: "#") else { throw unread(index + 1) }
            (isIn, hasKey) = (true, true)
        }
        return arguments
    }

    private static func unread(_ line: Int) -> ConfiguratorError {
        ConfiguratorError(
            "has finish-args in a form that is not read: write each argument on a line of its own, \"- --ARGUMENT\"",
            line: line)
    }

    /// The rest of the line behind `finish-args:`; nil for another key.
    private static func valueOfKey(_ content: Range<Int>, _ bytes: [UInt8]) -> Range<Int>? {
        for key in ["finish-args:", "\"finish-args\":", "'finish-args':"] where bytes[content].starts(with: key.utf8) {
            let rest = (content.lowerBound + key.utf8.count)..<content.upperBound
            guard rest.isEmpty || bytes[rest.lowerBound].isXMLSpace else { return nil }
            return TextLines.trimmed(rest, in: bytes)
        }
        return nil
    }

    /// The argument behind a hyphen: plain, or between quotation marks without escapes.
    private static func argument(
        _ range: Range<Int>, _ line: Range<Int>, _ bytes: [UInt8], _ number: Int
    ) throws(ConfiguratorError) -> FlatpakManifest.Argument {
        let content = TextLines.trimmed(range, in: bytes)
        guard let first = bytes[content].first else { throw unread(number) }
        let place: Range<Int>
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            guard let end = bytes[content].dropFirst().firstIndex(of: first),
                !bytes[content.lowerBound...end].contains(UInt8(ascii: "\\")),
                isComment((end + 1)..<content.upperBound, bytes)
            else { throw unread(number) }
            place = content.lowerBound..<(end + 1)
            let text = TextLines.text((content.lowerBound + 1)..<end, in: bytes)
            return FlatpakManifest.Argument(text: text, place: place, removal: line)
        }
        guard first == UInt8(ascii: "-") else { throw unread(number) }
        // A comment begins with a space and a number sign.
        let comment = content.dropFirst().first { bytes[$0] == UInt8(ascii: "#") && bytes[$0 - 1].isXMLSpace }
        place = TextLines.trimmed(content.lowerBound..<(comment ?? content.upperBound), in: bytes)
        return FlatpakManifest.Argument(text: TextLines.text(place, in: bytes), place: place, removal: line)
    }

    private static func isComment(_ range: Range<Int>, _ bytes: [UInt8]) -> Bool {
        let content = TextLines.trimmed(range, in: bytes)
        return content.isEmpty
            || bytes[content.lowerBound] == UInt8(ascii: "#") && content.lowerBound > range.lowerBound
    }
}
