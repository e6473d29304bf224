import MAMSupport

extension SettingKind {
    /// A parsed value.
    struct ParsedValue {
        /// The value in force; nil if the property sets nothing.
        var value: JSON?
        /// The problem with the value, for a warning.
        var problem: String?
    }

    /// Parses a value as exports write it. null sets nothing, and neither does "" for versions, durations, text and actions. A
    /// value that is not understood becomes the strictest one, or "block" for actions; docs/policy.md "How values are read".
    func read(_ json: JSON) -> ParsedValue {
        if json.isNull { return ParsedValue() }
        return switch self {
        case .flag:
            if json.bool != nil { ParsedValue(value: json) } else { odd("is \(article(json)), not true or false") }
        case .level(let levels, let emptyIsNone, _):
            readLevel(json, levels, emptyIsNone: emptyIsNone)
        case .number(let range, _):
            switch json.integer {
            case .some(let number) where range.contains(number): ParsedValue(value: json)
            case .some: odd("is outside \(range.lowerBound) to \(range.upperBound)")
            case .none: odd("is \(article(json)), not a whole number")
            }
        case .span:
            readText(json) { text in
                guard let span = TimeSpan(iso8601: text) else {
                    return "is \(ForeignText.quoted(text)), not an ISO 8601 duration such as P30D or PT12H"
                }
                return span < .seconds(0) ? "is negative" : nil
            }
        case .minimumVersion, .maximumVersion:
            readText(json) {
                SettingKind.version($0) == nil ? "is \(ForeignText.quoted($0)), not a version number such as 1.2" : nil
            }
        case .exceptions(let member):
            readExceptions(json, member)
        case .allowOnly:
            readAllowOnly(json)
        case .text, .scheme:
            switch json {
            case .string(""): ParsedValue()
            case .string(let text) where isScheme && LinkScheme.destination(text) == nil:
                ParsedValue(problem: "is no scheme that links can be sent to; it is left out")
            case .string: ParsedValue(value: json)
            default: ParsedValue(problem: "is \(article(json)), not text; it is left out")
            }
        }
    }

    private func odd(_ what: String) -> ParsedValue {
        ParsedValue(value: standIn, problem: "\(what); it is read as the strictest, \(standIn.text)")
    }

    private func article(_ json: JSON) -> String {
        switch json {
        case .array, .object: "an \(json.typeName)"
        default: "a \(json.typeName)"
        }
    }

    private func readLevel(_ json: JSON, _ levels: [[String]], emptyIsNone: Bool) -> ParsedValue {
        switch json {
        case .string("") where emptyIsNone: ParsedValue()
        case .string(let name):
            if levels.contains(where: { $0.contains(name) }) {
                ParsedValue(value: json)
            } else {
                odd("is \(ForeignText.quoted(name)), none of \(levels.compactMap(\.first).joined(separator: ", "))")
            }
        default: odd("is \(article(json)), not a name")
        }
    }

    private func readText(_ json: JSON, problem: (String) -> String?) -> ParsedValue {
        switch json {
        case .string(""): ParsedValue()
        case .string(let text): problem(text).map(odd) ?? ParsedValue(value: json)
        default: odd("is \(article(json)), not text")
        }
    }

    private var isScheme: Bool { if case .scheme = self { true } else { false } }

    private func readExceptions(_ json: JSON, _ member: ListMember) -> ParsedValue {
        switch json {
        case .string(""): return ParsedValue(value: [])
        case .array(let elements):
            let (understood, isWhole) = member.read(elements)
            return ParsedValue(
                value: .strings(understood), problem: isWhole ? nil : "has a member that is not known; it is left out")
        default: return odd("is \(article(json)), not a list")
        }
    }

    private func readAllowOnly(_ json: JSON) -> ParsedValue {
        switch json {
        case .string(""), .array([]): return ParsedValue()
        case .string(let text):
            let parts = text.utf8.split(separator: UInt8(ascii: ";")).map { String(decoding: $0, as: UTF8.self) }
            return ParsedValue(value: .strings(parts))
        case .array(let elements):
            let texts = elements.compactMap(\.string)
            let problem = "has a member that is not text; it is left out"
            return ParsedValue(value: .strings(texts), problem: texts.count < elements.count ? problem : nil)
        default: return odd("is \(article(json)), not a list")
        }
    }
}
