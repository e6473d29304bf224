import MAMSupport

/// A key of the Intune App SDK's MAMDebugSettings property list: its type, its default and its meaning here;
/// docs/test-policies.md.
struct TestPolicyKey: Sendable {
    /// The type of a value, with the default.
    enum Kind: Sendable {
        case toggle(Bool)
        /// One of the numbers from 0.
        case choice(upTo: Int64, Int64)
        /// A number, or its digits in a text.
        case count(ClosedRange<Int64>, String)
        /// A version as text; "" and "0.0" mean none.
        case version(String)
        case text(String)
        /// One of a few words; no default.
        case word([String])
    }

    let name: String
    let kind: Kind
    /// The key's name in an older release of the Intune App SDK.
    let formerName: String?
    /// The reason that the key has no effect here; nil if it has one.
    let note: String?

    init(_ name: String, _ kind: Kind, was formerName: String? = nil, note: String? = nil) {
        self.name = name
        self.kind = kind
        self.formerName = formerName
        self.note = note
    }

    /// The default.
    var shipped: JSON {
        switch kind {
        case .toggle(let value): .bool(value)
        case .choice(_, let value): .integer(value)
        case .count(_, let text), .version(let text), .text(let text): .string(text)
        case .word: .null
        }
    }

    /// Returns the problem with a value; nil if it is valid.
    func problem(_ value: PropertyList) -> String? {
        switch (kind, value.kind) {
        case (.toggle, .boolean), (.text, .string): nil
        case (.choice(let last, _), .integer(let number)):
            (0...last).contains(number) ? nil : "is \(number); it must be a number from 0 to \(last)"
        case (.count(let range, _), .integer(let number)) where range.contains(number): nil
        case (.count(let range, _), .integer(let number)):
            "is \(number); it must be a number from \(range.lowerBound) to \(range.upperBound)"
        case (.count(let range, _), .string(let text)):
            TestPolicyKey.count(text).map(range.contains) == true
                ? nil
                : "is \(ForeignText.quoted(text)); it must be a number from \(range.lowerBound) to \(range.upperBound)"
        case (.version, .string(let text)):
            text.isEmpty || SettingKind.version(text) != nil
                ? nil : "is \(ForeignText.quoted(text)); it must be a version number as text"
        case (.word(let words), .string(let text)):
            words.contains(text) ? nil : "is \(ForeignText.quoted(text)); it must be \(words.joined(separator: " or "))"
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

    /// Parses a text of digits.
    static func count(_ text: String) -> Int64? {
        text.utf8.allSatisfy(\.isASCIIDigit) && text.utf8.count <= 9 ? Int64(text) : nil
    }

    static let prefix = "IntuneMAMPolicy."

    /// Returns the key with this name: with the prefix, as in the Intune App SDK's file, or without, as in its guides.
    static func named(_ name: String) -> TestPolicyKey? {
        let bare = bare(name)
        return all.first { key in
            [key.name, key.formerName].contains { $0.map { bare.elementsEqual(self.bare($0)) } ?? false }
        }
    }

    private static func bare(_ name: String) -> Substring.UTF8View {
        (isPrefixed(name) ? name.dropFirst(prefix.count) : name[...]).utf8
    }

    /// Returns whether the Intune App SDK's guides print the name as a setting in its logs. Such a key would have no effect in
    /// a test policy.
    static func isOfGuides(_ name: String) -> Bool { inGuides.contains { name.utf8.elementsEqual($0.utf8) } }

    /// Returns whether a name has the prefix. An unknown one is a misspelt key, which would silently loosen the policy.
    static func isPrefixed(_ name: String) -> Bool { name.utf8.starts(with: prefix.utf8) }
}
