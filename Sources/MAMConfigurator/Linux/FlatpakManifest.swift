import MAMValues

/// The manifest of a Flatpak app, in JSON or YAML.
public enum FlatpakManifest {
    /// An argument of `finish-args`, and the bytes to change.
    struct Argument {
        let text: String
        /// The text in the file, with its quotation marks.
        let place: Range<Int>
        /// All that goes with it when it is removed.
        let removal: Range<Int>
    }

    /// Remove or narrow the permissions of `finish-args` that a managed app should not have.
    ///
    /// Fails where the bytes are no text in UTF-8, or `finish-args` is not a list of texts in the form that is read.
    public static func configure(_ bytes: [UInt8]) throws(ConfiguratorError) -> Configured {
        try TextLines.check(bytes)
        let isJSON = bytes.first { !$0.isXMLSpace } == UInt8(ascii: "{")
        let list = isJSON ? try FlatpakJSON.arguments(bytes) : try FlatpakYAML.arguments(bytes)
        var configured = Configured(bytes: bytes)
        var edits = ByteEdits()
        let texts = Set(list.map(\.text))
        var kept = texts
        var removed: Set<Int> = []
        for (index, argument) in list.enumerated() {
            if let warning = FlatpakPermission.warning(on: argument.text, among: texts) {
                configured.warnings.append(warning)
            }
            guard let verdict = FlatpakPermission.verdict(on: argument.text, among: texts) else { continue }
            if let replacement = verdict.replacement, kept.insert(replacement).inserted {
                // In YAML nothing is escaped that is read.
                let text =
                    isJSON ? JSON.string(replacement).text : quoted(replacement, as: bytes[argument.place.lowerBound])
                edits.replace(argument.place, with: text)
                configured.changes.append("\(argument.text): became \(replacement): \(verdict.reason)")
            } else {
                removed.insert(index)
                configured.changes.append("\(argument.text): removed: \(verdict.reason)")
            }
        }
        for range in isJSON ? FlatpakJSON.removals(list, removed, bytes) : removed.map({ list[$0].removal }) {
            edits.remove(range)
        }
        configured.bytes = edits.applied(to: bytes)
        return configured
    }

    private static func quoted(_ text: String, as mark: UInt8) -> String {
        mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'")
            ? "\(Unicode.Scalar(mark))\(text)\(Unicode.Scalar(mark))" : text
    }
}
