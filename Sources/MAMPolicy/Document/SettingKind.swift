import MAMSupport

/// The kind of a property's values: how they are parsed, and which is stricter; docs/policy.md.
enum SettingKind: Sendable {
    /// A boolean; `strict` is the restrictive value.
    case flag(strict: Bool)
    /// Names from loose to strict; equivalent names are in one group. `emptyIsNone`: "" sets nothing, as null does. `misread`:
    /// the substitute for a value that is not understood, if it is not the strictest.
    case level([[String]], emptyIsNone: Bool = false, misread: String? = nil)
    /// A whole number in a range.
    case number(ClosedRange<Int64>, lowerIsStricter: Bool)
    /// A duration; shorter is stricter. `zeroIsOff`: "PT0S" means never.
    case span(zeroIsOff: Bool)
    /// A minimum version; higher is stricter.
    case minimumVersion
    /// A maximum version; lower is stricter.
    case maximumVersion
    /// Exceptions from a block; fewer is stricter.
    case exceptions(ListMember)
    /// The only allowed members, as an array or `;`-separated text. An empty list restricts nothing, else fewer is stricter.
    case allowOnly
    /// Text without an order.
    case text
    /// The scheme of an app that links are redirected to, without an order.
    case scheme

    /// A version higher than any host's.
    static let highestVersion = "65535"

    /// The strictest value.
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

    /// The substitute for a value that is not understood: the strictest, but never a wipe; null for text, which is ignored.
    var standIn: JSON {
        if case .level(_, _, .some(let misread)) = self { .string(misread) } else { strictest }
    }

    /// Returns the strictness of a parsed value, higher is stricter; nil if the kind has no order.
    func rank(_ value: JSON) -> [Int64]? {
        switch self {
        case .flag(let strict): [value.bool == strict ? 1 : 0]
        case .level(let levels, _, _): [Int64(levels.firstIndex { $0.contains(value.string ?? "") } ?? levels.count)]
        case .number(_, let lowerIsStricter): [value.integer.map { lowerIsStricter ? -$0 : $0 } ?? .max]
        case .span(let zeroIsOff):
            switch value.string.flatMap(TimeSpan.init(iso8601:))?.milliseconds {
            case .some(0) where zeroIsOff: [.min]
            // Durations below the strictest value are not stricter.
            case .some(let milliseconds): [-max(milliseconds, zeroIsOff ? 1000 : 0)]
            case .none: [.max]
            }
        case .minimumVersion: SettingKind.version(value.string ?? "") ?? [.max]
        case .maximumVersion: SettingKind.version(value.string ?? "")?.map { -$0 } ?? [.max]
        case .exceptions, .allowOnly, .text, .scheme: nil
        }
    }

    /// Parses a version into parts, padded so that 14 equals 14.0; nil if it is invalid.
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
