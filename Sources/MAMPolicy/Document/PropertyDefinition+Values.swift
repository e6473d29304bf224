import MAMSupport

extension PropertyDefinition {
    /// The least restrictive value; nil if there is no single one (every scheme, every link, no limit).
    var neutral: JSON? {
        switch kind {
        case .flag(let strict): .bool(!strict)
        case .level(let levels, _, _): .optional(levels.first?.first)
        case .number(let range, let lowerIsStricter):
            .integer(lowerIsStricter ? range.upperBound : range.lowerBound)
        case .span(zeroIsOff: true): "PT0S"
        case .minimumVersion: "0"
        case .maximumVersion: .string(SettingKind.highestVersion)
        case .exceptions(.names(let names)): .strings(names)
        case .span, .exceptions, .allowOnly, .text, .scheme, nil: nil
        }
    }

    /// Returns the strictness of a value in a policy for a platform, higher is stricter; nil if values have no order. Windows'
    /// "none" is looser than that of other platforms; docs/policy.md "Windows".
    func rank(_ value: JSON, on platform: Platform) -> [Int64]? {
        switch setting {
        case .inbound, .outbound: [Int64(TransferLevel(name: value.string, on: platform).rawValue)]
        case .clipboardLevel: [Int64(ClipboardLevel(name: value.string, on: platform).rawValue)]
        default: kind?.rank(value)
        }
    }
}

extension SettingKind {
    /// The kind's name in `mam_policy_properties`.
    var name: String {
        switch self {
        case .flag: "flag"
        case .level: "level"
        case .number: "number"
        case .span: "duration"
        case .minimumVersion: "minimumVersion"
        case .maximumVersion: "maximumVersion"
        case .exceptions: "exceptions"
        case .allowOnly: "allowOnly"
        case .text: "text"
        case .scheme: "scheme"
        }
    }

    /// The named values from loose to strict, or the possible members of a list. Empty if there are no names.
    var names: [String] {
        switch self {
        case .level(let levels, _, _): levels.map { $0.joined(separator: " = ") }
        case .exceptions(.names(let names)): names
        default: []
        }
    }
}
