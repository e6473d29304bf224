import MAMSupport

extension SettingKind {
    /// What a property's value comes to.
    struct Reading {
        /// The value in force; nil where the property says nothing ("none").
        var value: JSON?
        /// What was wrong with what stands there, for a warning.
        var problem: String?
    }

    /// Read a value as exports write it: null and "" are none for lists, versions, durations and text; what is not
    /// understood becomes the strictest member; docs/policy.md "How values are read".
    func read(_ json: JSON) -> Reading {
        switch self {
        case .flag:
            if json.bool != nil { Reading(value: json) } else { odd("is \(article(json)), not true or false") }
        case .level(let levels, let nullable):
            readLevel(json, levels, nullable: nullable)
        case .number(let range, _):
            switch json.integer {
            case .some(let number) where range.contains(number): Reading(value: json)
            case .some: odd("is outside \(range.lowerBound) to \(range.upperBound)")
            case .none: odd("is \(article(json)), not a whole number")
            }
        case .span:
            readText(json) { text in
                guard let span = TimeSpan(iso8601: text) else { return "is not an ISO 8601 duration" }
                return span < .seconds(0) ? "is negative" : nil
            }
        case .minimumVersion, .maximumVersion:
            readText(json) { SettingKind.version($0) == nil ? "is not a version number" : nil }
        case .exceptions(let member):
            readExceptions(json, member)
        case .allowOnly:
            readAllowOnly(json)
        case .text, .scheme:
            switch json {
            case .null, .string(""): Reading()
            case .string(let text) where isScheme && LinkScheme.destination(text) == nil:
                Reading(problem: "is no scheme that links can be sent to; it is left out")
            case .string: Reading(value: json)
            default: Reading(problem: "is \(article(json)), not text; it is left out")
            }
        }
    }

    private func odd(_ what: String) -> Reading {
        Reading(value: strictest, problem: "\(what); read as \(strictest.text)")
    }

    private func article(_ json: JSON) -> String {
        switch json {
        case .null: "null"
        case .array, .object: "an \(json.typeName)"
        default: "a \(json.typeName)"
        }
    }

    private func readLevel(_ json: JSON, _ levels: [[String]], nullable: Bool) -> Reading {
        switch json {
        case .null where nullable, .string("") where nullable: Reading()
        case .string(let name):
            if levels.contains(where: { $0.contains(name) }) { Reading(value: json) } else { odd("is no known name") }
        default: odd("is \(article(json)), not a name")
        }
    }

    private func readText(_ json: JSON, problem: (String) -> String?) -> Reading {
        switch json {
        case .null, .string(""): Reading()
        case .string(let text): problem(text).map(odd) ?? Reading(value: json)
        default: odd("is \(article(json)), not text")
        }
    }

    private var isScheme: Bool { if case .scheme = self { true } else { false } }

    private func readExceptions(_ json: JSON, _ member: ListMember) -> Reading {
        switch json {
        case .null, .string(""): return Reading(value: [])
        case .array(let elements):
            let (understood, isWhole) = member.read(elements)
            return Reading(
                value: .strings(understood), problem: isWhole ? nil : "has a member that is not known; it is left out")
        default: return odd("is \(article(json)), not a list")
        }
    }

    private func readAllowOnly(_ json: JSON) -> Reading {
        switch json {
        case .null, .string(""), .array([]): return Reading()
        case .string(let text):
            let parts = text.utf8.split(separator: UInt8(ascii: ";")).map { String(decoding: $0, as: UTF8.self) }
            return Reading(value: .strings(parts))
        case .array(let elements):
            let texts = elements.compactMap(\.string)
            let problem = "has a member that is not text; it is left out"
            return Reading(value: .strings(texts), problem: texts.count < elements.count ? problem : nil)
        default: return odd("is \(article(json)), not a list")
        }
    }
}
