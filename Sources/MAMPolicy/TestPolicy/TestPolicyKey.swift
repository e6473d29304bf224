import MAMSupport

/// A key of the original's MAMDebugSettings property list: its type, its value as shipped, and what it means here;
/// docs/test-policies.md.
struct TestPolicyKey: Sendable {
    /// What a value may be, with the one as shipped.
    enum Kind: Sendable {
        case toggle(Bool)
        /// One of the numbers from 0.
        case choice(upTo: Int64, Int64)
        /// A number, or its digits in a text.
        case count(ClosedRange<Int64>, String)
        /// A version in a text; "" and "0.0" are none.
        case version(String)
        case text(String)
        /// One of a few words; none as shipped.
        case word([String])
    }

    let name: String
    let kind: Kind
    /// What an older release called it.
    let formerName: String?
    /// Why it changes nothing here; nil where it does.
    let note: String?

    init(_ name: String, _ kind: Kind, was formerName: String? = nil, note: String? = nil) {
        self.name = name
        self.kind = kind
        self.formerName = formerName
        self.note = note
    }

    /// The value as shipped.
    var shipped: JSON {
        switch kind {
        case .toggle(let value): .bool(value)
        case .choice(_, let value): .integer(value)
        case .count(_, let text), .version(let text), .text(let text): .string(text)
        case .word: .null
        }
    }

    /// What is wrong with a value; nil for nothing.
    func problem(_ value: PropertyList) -> String? {
        switch (kind, value) {
        case (.toggle, .boolean), (.text, .string): nil
        case (.choice(let last, _), .integer(let number)):
            (0...last).contains(number) ? nil : "is \(number); it must be a number from 0 to \(last)"
        case (.count(let range, _), .integer(let number)) where range.contains(number): nil
        case (.count(let range, _), .integer(let number)):
            "is \(number); it must be a number from \(range.lowerBound) to \(range.upperBound)"
        case (.count(let range, _), .string(let text)):
            TestPolicyKey.count(text).map(range.contains) == true
                ? nil
                : "is \(Line.quoted(text)); it must be a number from \(range.lowerBound) to \(range.upperBound)"
        case (.version, .string(let text)):
            text.isEmpty || SettingKind.version(text) != nil
                ? nil : "is \(Line.quoted(text)); it must be a version number as text"
        case (.word(let words), .string(let text)):
            words.contains(text) ? nil : "is \(Line.quoted(text)); it must be \(words.joined(separator: " or "))"
        default: "has the type \(value.typeName); it must be \(typeName)"
        }
    }

    private var typeName: String {
        switch kind {
        case .toggle: "boolean"
        case .choice: "integer"
        case .count: "integer or string"
        case .version, .text, .word: "string"
        }
    }

    /// The number of a text of digits.
    static func count(_ text: String) -> Int64? {
        text.utf8.allSatisfy(\.isASCIIDigit) && text.utf8.count <= 9 ? Int64(text) : nil
    }

    static let prefix = "IntuneMAMPolicy."

    /// The key of a name in a list: with the prefix, as the original's file has it, or bare, as its guides print it.
    static func named(_ name: String) -> TestPolicyKey? {
        let bare = bare(name)
        return all.first { key in
            [key.name, key.formerName].contains { $0.map { bare.elementsEqual(self.bare($0)) } ?? false }
        }
    }

    private static func bare(_ name: String) -> Substring.UTF8View {
        (isPrefixed(name) ? name.dropFirst(prefix.count) : name[...]).utf8
    }

    /// Whether the original's guides print a name that no test policy has, in what they say of its logs: it would restrict nothing.
    static func isOfGuides(_ name: String) -> Bool { inGuides.contains { name.utf8.elementsEqual($0.utf8) } }

    /// Whether a name is one that a misspelling would silently loosen the policy for.
    static func isPrefixed(_ name: String) -> Bool { name.utf8.starts(with: prefix.utf8) }
}
