import MAMSupport

/// The values of one key that count, and what every query of it answers: worked out once, when configurations arrive.
///
/// A class, so that looking it up costs one reference and not one for each list.
final class ConfigurationEntry: Sendable {
    /// Every convertible value in the order received, with the first, the least and the greatest.
    struct Answers<Value: Sendable>: Sendable {
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

    let strings: Answers<String>
    let numbers: Answers<ConfigurationNumber>
    let integers: Answers<Int64>
    let booleans: [Bool]
    private let isTrueOnce: Bool
    private let isFalseOnce: Bool
    /// Where in the list of configurations the targeted values are that do not agree; empty where they do.
    let disagreeing: [Int]

    /// From where each value stands: targeted ones count, else the device's, else the default.
    init(_ places: [Place]) {
        let channel = places.map(\.rank).min()
        let counting = places.filter { $0.rank == channel }
        let texts = counting.map(\.value)
        strings = Answers(texts, Text.precedes)
        let numbers = texts.compactMap(ConfigurationValue.number)
        self.numbers = Answers(numbers, ConfigurationNumber.precedes)
        integers = Answers(numbers.compactMap(\.integer), <)
        booleans = texts.compactMap(ConfigurationValue.bool)
        isTrueOnce = booleans.contains(true)
        isFalseOnce = booleans.contains(false)
        let isTargeted = channel == Place.rank(.targeted)
        let agrees = texts.dropFirst().allSatisfy { $0.utf8.elementsEqual(texts[0].utf8) }
        disagreeing = isTargeted && !agrees ? counting.map(\.configuration) : []
    }

    func boolean(_ query: BooleanQuery) -> Bool? {
        guard let first = booleans.first else { return nil }
        return switch query {
        case .any: first
        case .or: isTrueOnce
        case .and: !isFalseOnce
        }
    }

    /// A value and the configuration that it stands in.
    struct Place {
        let configuration: Int
        let rank: Int
        let value: String

        /// Lower ranks put higher ones aside.
        static func rank(_ channel: AppConfiguration.Channel) -> Int {
            switch channel {
            case .targeted: 0
            case .device: 1
            case .tenantDefault: 2
            }
        }
    }
}
