import MAMSupport

/// How a property's values are read, and which is stricter; docs/policy.md.
enum SettingKind: Sendable {
    /// A boolean; `strict` is the restrictive one.
    case flag(strict: Bool)
    /// Names from loose to strict; names that mean the same stand together. `emptyIsNone`: "" says nothing, as null does.
    /// `misread`: the name that stands in for what is not understood, where that is not the strictest.
    case level([[String]], emptyIsNone: Bool = false, misread: String? = nil)
    /// A whole number in a range.
    case number(ClosedRange<Int64>, lowerIsStricter: Bool)
    /// A duration, shorter is stricter. `zeroIsOff`: "PT0S" means never.
    case span(zeroIsOff: Bool)
    /// A lowest version: higher is stricter.
    case minimumVersion
    /// A highest version: lower is stricter.
    case maximumVersion
    /// Exceptions from a block: fewer is stricter.
    case exceptions(ListMember)
    /// The only ones that are allowed, as an array or `;`-separated text: none restricts nothing, else fewer is stricter.
    case allowOnly
    /// Text without an order.
    case text
    /// The scheme of an app that links are sent to, without an order.
    case scheme

    /// No host's version is as high.
    static let highestVersion = "65535"

    /// The most restrictive member.
    var strictest: JSON {
        switch self {
        case .flag(let strict): .bool(strict)
        case .level(let levels, _, _): .optional(levels.last?.first)
        case .number(let range, let lowerIsStricter): .integer(lowerIsStricter ? range.lowerBound : range.upperBound)
        case .span(let zeroIsOff): zeroIsOff ? "PT1S" : "PT0S"
        case .minimumVersion: .string(SettingKind.highestVersion)
        case .maximumVersion: "0"
        case .exceptions, .allowOnly: []
        case .text, .scheme: .null
        }
    }

    /// The value that stands in for one that is not understood: the most restrictive one, but no wipe; null for text, which is
    /// left out.
    var standIn: JSON {
        if case .level(_, _, .some(let misread)) = self { .string(misread) } else { strictest }
    }

    /// How strict a value that was read is: higher is stricter. nil where the kind has no order.
    func rank(_ value: JSON) -> [Int64]? {
        switch self {
        case .flag(let strict): [value.bool == strict ? 1 : 0]
        case .level(let levels, _, _): [Int64(levels.firstIndex { $0.contains(value.string ?? "") } ?? levels.count)]
        case .number(_, let lowerIsStricter): [value.integer.map { lowerIsStricter ? -$0 : $0 } ?? .max]
        case .span(let zeroIsOff):
            switch value.string.flatMap(TimeSpan.init(iso8601:))?.milliseconds {
            case .some(0) where zeroIsOff: [.min]
            // Less than the strictest that can be said is no stricter.
            case .some(let milliseconds): [-max(milliseconds, zeroIsOff ? 1000 : 0)]
            case .none: [.max]
            }
        case .minimumVersion: SettingKind.version(value.string ?? "") ?? [.max]
        case .maximumVersion: SettingKind.version(value.string ?? "")?.map { -$0 } ?? [.max]
        case .exceptions, .allowOnly, .text, .scheme: nil
        }
    }

    /// The parts of a version, padded so that 14 equals 14.0; nil where it is none.
    static func version(_ text: String) -> [Int64]? {
        var parts: [Int64] = []
        for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard parts.count < 8, part.count <= 10, part.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
                let number = Int64(String(decoding: part, as: UTF8.self))
            else { return nil }
            parts.append(number)
        }
        return parts + Array(repeating: 0, count: 8 - parts.count)
    }
}
