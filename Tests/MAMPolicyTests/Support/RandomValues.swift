import Foundation
import MAMSupport

@testable import MAMPolicy

extension PropertyDefinition {
    /// Sample values: every name, both ends of a range, a value between, and some invalid ones.
    func anyValue(_ random: inout Seeded) -> JSON {
        guard let kind, Int.random(in: 0..<40, using: &random) > 0 else {
            return random.one(of: [.null, "", "odd", -1, true, [], ["odd"]])
        }
        switch kind {
        case .flag: return .bool(Bool.random(using: &random))
        case .level(let levels, _, _): return .string(random.one(of: levels.flatMap { $0 }))
        case .number(let range, _):
            return .integer(random.one(of: [range.lowerBound, range.upperBound, 4, 6, 8].filter(range.contains)))
        case .span: return random.one(of: ["PT0S", "PT1H", "PT60M", "PT720M", "P1D", "P90D", "PT0.5S", "-PT1S"])
        case .minimumVersion, .maximumVersion:
            return random.one(of: ["1", "1.9", "1.10", "14.0.1", "0", "65535", "v2"])
        case .exceptions(.names(let names)): return random.some(of: names.map(JSON.string))
        case .exceptions(.schemes):
            return random.one(of: [["skype;zoommtg"], [["name": "a", "value": "zoommtg;calshow;"]], []])
        case .exceptions(.links):
            return random.some(of: [
                "https://zoom.us/*", "https://*.contoso.com/in/*", "http://intranet/page", "no pattern",
            ])
        case .allowOnly: return random.one(of: ["a;b", "b;c", "c", .null])
        case .text, .scheme: return random.one(of: ["fx", "talk", "dolphin:", "", "https"])
        }
    }

    /// Returns a value that is at least as strict as another; nil if values have no order.
    func stricter(than value: JSON?, in settings: PolicySettings, _ random: inout Seeded) -> JSON? {
        guard let kind else { return nil }
        if Bool.random(using: &random) {
            switch kind {
            case .scheme, .allowOnly: return nil  // no order; an empty list of models is none
            default: return kind.strictest
            }
        }
        switch kind {
        case .exceptions, .allowOnly:
            guard let members = value?.array, !members.isEmpty else { return nil }
            let fewer = random.some(of: members)
            return fewer == [] ? nil : fewer
        case .text, .scheme: return nil
        default:
            let other = kind.read(anyValue(&random)).value ?? kind.strictest
            guard let old = (value ?? absent { settings.value(of: $0) }).flatMap(kind.rank), let new = kind.rank(other),
                !new.lexicographicallyPrecedes(old)
            else { return nil }
            return other
        }
    }
}

extension PolicyDocument {
    static let readProperties = PropertyTable.all.filter { $0.isRead(on: .linux) }

    /// Returns a random Linux policy, which sets or omits each property.
    static func anything(id: String, _ random: inout Seeded) throws -> PolicyDocument {
        let share = Int.random(in: 1...8, using: &random)
        var members: [(key: String, value: JSON)] = [("@odata.type", "#libmam.linuxManagedAppProtection")]
        for property in readProperties where Int.random(in: 0..<8, using: &random) < share {
            members.append((property.name, property.anyValue(&random)))
        }
        return try PolicyDocument(id: id, json: .object(members))
    }
}

/// The number of random cases of a test: `make soak` uses more, and another seed.
enum Cases {
    static let count = ProcessInfo.processInfo.environment["MAM_CASES"].flatMap(Int.init) ?? 1000
    static let seed = ProcessInfo.processInfo.environment["MAM_SEED"].flatMap(UInt64.init) ?? 1
}
