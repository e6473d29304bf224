/// The verbose line of a log about one setting of an app configuration. Its value may have to be left out later, once a list of
/// `ValuesToScrubFromLogging` names the key.
public enum ConfigurationLine {
    private static let mark = ", app configuration "
    private static let verb = " is "

    /// The line; nil hides the value. All texts but the account are in quotation marks.
    public static func text(account: String, configuration: String, key: String, value: String?) -> String {
        "account \(account)\(mark)\(configuration): \(key)\(verb)\(value ?? "hidden")"
    }

    /// A line without the value of any of the keys, or of any key at all for nil. Other lines stay as they are.
    public static func withoutValue(_ line: String, ofKeys keys: [String]?) -> String {
        let bytes = Array(line.utf8)
        guard let start = end(of: mark, in: bytes, from: 0) else { return line }
        // A text before the value may contain these words too: what is cut is then more than the value, never less.
        let ends = (keys?.map { ": \($0)\(verb)" } ?? ["\"\(verb)"]).compactMap { end(of: $0, in: bytes, from: start) }
        return ends.min().map { String(decoding: bytes[..<$0], as: UTF8.self) + "hidden" } ?? line
    }

    /// The place behind the first occurrence of words.
    private static func end(of words: String, in bytes: [UInt8], from start: Int) -> Int? {
        let wanted = Array(words.utf8)
        var place = start
        while place + wanted.count <= bytes.count {
            if bytes[place..<(place + wanted.count)].elementsEqual(wanted) { return place + wanted.count }
            place += 1
        }
        return nil
    }
}
