import MAMSupport

/// What an app is configured with: every dictionary that reached it, and the answers of every key.
///
/// Mirrors `IntuneMAMAppConfig`; docs/configuration.md.
public final class AppConfigurations: Sendable {
    /// The dictionaries in the order received. Empty ones are not among them.
    public let all: [AppConfiguration]
    private let index: [ConfigurationKey: ConfigurationEntry]

    /// Nothing is configured.
    public static let none = AppConfigurations([])

    /// Index dictionaries. One that stands there twice counts once.
    public init(_ configurations: [AppConfiguration]) {
        var all: [AppConfiguration] = []
        var known: [ConfigurationKey: [Int]] = [:]
        for configuration in configurations where !configuration.values.isEmpty {
            let id = ConfigurationKey(configuration.id)
            if known[id, default: []].contains(where: { all[$0] == configuration }) { continue }
            known[id, default: []].append(all.count)
            all.append(configuration)
        }
        var places: [ConfigurationKey: [ConfigurationEntry.Place]] = [:]
        for (number, configuration) in all.enumerated() {
            let rank = ConfigurationEntry.Place.rank(configuration.channel)
            for (key, value) in configuration.values {
                places[ConfigurationKey(key), default: []].append(
                    ConfigurationEntry.Place(configuration: number, rank: rank, value: value))
            }
        }
        self.all = all
        index = places.mapValues(ConfigurationEntry.init)
    }

    /// Whether there is nothing.
    public var isEmpty: Bool { all.isEmpty }

    /// Whether targeted dictionaries have different values for a key.
    public func hasConflict(_ key: String) -> Bool { self[key].map { !$0.disagreeing.isEmpty } ?? false }

    /// A boolean; nil where no value that counts is "true" or "false".
    public func boolean(_ key: String, _ query: BooleanQuery) -> Bool? { self[key]?.boolean(query) }
    /// A number; nil where no value that counts is one.
    public func number(_ key: String, _ query: OrderedQuery) -> ConfigurationNumber? {
        self[key]?.numbers.answer(query)
    }
    /// A whole number that was written as one; nil where no value that counts is one.
    public func integer(_ key: String, _ query: OrderedQuery) -> Int64? { self[key]?.integers.answer(query) }
    /// A text, ordered by its bytes; nil where no dictionary has the key.
    public func string(_ key: String, _ query: OrderedQuery) -> String? { self[key]?.strings.answer(query) }

    /// Every value that counts and is a boolean, in the order received.
    public func booleans(_ key: String) -> [Bool] { self[key]?.booleans ?? [] }
    /// Every value that counts and is a number.
    public func numbers(_ key: String) -> [ConfigurationNumber] { self[key]?.numbers.all ?? [] }
    /// Every value that counts and is a whole number.
    public func integers(_ key: String) -> [Int64] { self[key]?.integers.all ?? [] }
    /// Every value that counts.
    public func strings(_ key: String) -> [String] { self[key]?.strings.all ?? [] }

    private subscript(key: String) -> ConfigurationEntry? { index[ConfigurationKey(key)] }
}

extension AppConfigurations {
    /// What `mam_app_config_full_data` hands out.
    public var json: JSON { .array(all.map(\.json)) }

    /// What `mam_app_config_conflicts` hands out: each key with the dictionaries that disagree, sorted by key.
    public var conflicts: JSON {
        let keys = index.filter { !$0.value.disagreeing.isEmpty }.sorted { ConfigurationKey.precedes($0.key, $1.key) }
        return .array(
            keys.map { key, entry in
                let values = zip(entry.disagreeing, entry.strings.all).map { number, value -> JSON in
                    ["id": .string(all[number].id), "name": .string(all[number].name), "value": .string(value)]
                }
                return ["key": .string(key.text), "values": .array(values)]
            })
    }
}

extension AppConfigurations: Equatable {
    /// Equal in the same order.
    public static func == (a: AppConfigurations, b: AppConfigurations) -> Bool { a === b || a.all == b.all }
}

/// A name of a setting, told apart byte by byte: two that only look the same are two.
private struct ConfigurationKey: Hashable, Sendable {
    private let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    static func precedes(_ a: ConfigurationKey, _ b: ConfigurationKey) -> Bool {
        a.bytes.lexicographicallyPrecedes(b.bytes)
    }
}
