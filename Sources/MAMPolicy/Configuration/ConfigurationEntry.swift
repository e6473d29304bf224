import MAMSupport

/// The effective values of one key and the results of all queries, computed once.
///
/// A class, so that a lookup retains one reference and not one for each list.
final class ConfigurationEntry: Sendable {
    /// The values of one type in the order received, with the least and the greatest.
    struct ConvertedValues<Value: Sendable>: Sendable {
        let all: [Value]
        private let least: Int
        private let greatest: Int

        init(_ all: [Value], _ precedes: (Value, Value) -> Bool) {
            self.all = all
            least = all.indices.min { precedes(all[$0], all[$1]) } ?? 0
            greatest = all.indices.max { precedes(all[$0], all[$1]) } ?? 0
        }

        func answer(_ query: OrderedQuery) -> Value? {
            guard !all.isEmpty else { return nil }
            return switch query {
            case .any: all[0]
            case .min: all[least]
            case .max: all[greatest]
            }
        }
    }

    let strings: ConvertedValues<String>
    let numbers: ConvertedValues<ConfigurationNumber>
    let integers: ConvertedValues<Int64>
    let booleans: [Bool]
    private let isTrueOnce: Bool
    private let isFalseOnce: Bool
    /// The indices of the targeted configurations if their values differ; else empty.
    let conflicting: [Int]

    /// Creates the entry of a key: targeted values are effective, else the device's, else the tenant default's.
    init(_ values: [SourcedValue]) {
        let channel = values.map(\.rank).min()
        let counting = values.filter { $0.rank == channel }
        let texts = counting.map(\.value)
        strings = ConvertedValues(texts) { $0.precedesByBytes($1) }
        let numbers = texts.compactMap(ConfigurationValue.number)
        self.numbers = ConvertedValues(numbers, ConfigurationNumber.precedes)
        integers = ConvertedValues(numbers.compactMap(\.integer), <)
        booleans = texts.compactMap(ConfigurationValue.bool)
        isTrueOnce = booleans.contains(true)
        isFalseOnce = booleans.contains(false)
        let isTargeted = channel == SourcedValue.rank(.targeted)
        let agrees = texts.dropFirst().allSatisfy { $0.utf8.elementsEqual(texts[0].utf8) }
        conflicting = isTargeted && !agrees ? counting.map(\.configuration) : []
    }

    func boolean(_ query: BooleanQuery) -> Bool? {
        guard let first = booleans.first else { return nil }
        return switch query {
        case .any: first
        case .or: isTrueOnce
        case .and: !isFalseOnce
        }
    }

    /// A value and the index of its configuration.
    struct SourcedValue {
        let configuration: Int
        let rank: Int
        let value: String

        /// Returns the precedence of a source; the lowest rank is effective.
        static func rank(_ channel: AppConfiguration.Channel) -> Int {
            switch channel {
            case .targeted: 0
            case .device: 1
            case .tenantDefault: 2
            }
        }
    }
}
