import MAMSupport

/// All configuration of an app: the dictionaries, and the values of every key.
///
/// Mirrors `IntuneMAMAppConfig`; docs/configuration.md.
public final class AppConfigurations: Sendable {
    /// The dictionaries in the order received, without empty ones.
    public let all: [AppConfiguration]
    private let index: [ConfigurationKey: ConfigurationEntry]

    /// The empty configuration.
    public static let none = AppConfigurations([])

    /// Indexes dictionaries. Duplicates count once.
    public init(_ configurations: [AppConfiguration]) {
        var all: [AppConfiguration] = []
        var known: [ConfigurationKey: [Int]] = [:]
        for configuration in configurations where !configuration.values.isEmpty {
            let id = ConfigurationKey(configuration.id)
            if known[id, default: []].contains(where: { all[$0] == configuration }) { continue }
            known[id, default: []].append(all.count)
            all.append(configuration)
        }
        var sources: [ConfigurationKey: [ConfigurationEntry.SourcedValue]] = [:]
        for (number, configuration) in all.enumerated() {
            let rank = ConfigurationEntry.SourcedValue.rank(configuration.channel)
            for (key, value) in configuration.values {
                sources[ConfigurationKey(key), default: []].append(
                    ConfigurationEntry.SourcedValue(configuration: number, rank: rank, value: value))
            }
        }
        self.all = all
        index = sources.mapValues(ConfigurationEntry.init)
    }

    /// Whether there are no dictionaries.
    public var isEmpty: Bool { all.isEmpty }

    /// Returns whether targeted dictionaries have different values for a key.
    public func hasConflict(_ key: String) -> Bool { self[key].map { !$0.conflicting.isEmpty } ?? false }

    /// Returns a boolean; nil if no effective value is "true" or "false".
    public func boolean(_ key: String, _ query: BooleanQuery) -> Bool? { self[key]?.boolean(query) }
    /// Returns a number; nil if no effective value is one.
    public func number(_ key: String, _ query: OrderedQuery) -> ConfigurationNumber? {
        self[key]?.numbers.answer(query)
    }
    /// Returns a whole number that was written as one; nil if no effective value is one.
    public func integer(_ key: String, _ query: OrderedQuery) -> Int64? { self[key]?.integers.answer(query) }
    /// Returns a text, ordered by bytes; nil if no dictionary has the key.
    public func string(_ key: String, _ query: OrderedQuery) -> String? { self[key]?.strings.answer(query) }

    /// Returns the effective values that are booleans, in the order received.
    public func booleans(_ key: String) -> [Bool] { self[key]?.booleans ?? [] }
    /// Returns the effective values that are numbers.
    public func numbers(_ key: String) -> [ConfigurationNumber] { self[key]?.numbers.all ?? [] }
    /// Returns the effective values that are whole numbers.
    public func integers(_ key: String) -> [Int64] { self[key]?.integers.all ?? [] }
    /// Returns the effective values.
    public func strings(_ key: String) -> [String] { self[key]?.strings.all ?? [] }

    private subscript(key: String) -> ConfigurationEntry? { index[ConfigurationKey(key)] }
}

extension AppConfigurations {
    /// The reply of `mam_app_config_full_data`.
    public var json: JSON { .array(all.map(\.json)) }

    /// The reply of `mam_app_config_conflicts`: each key with the dictionaries that disagree, sorted by key.
    public var conflicts: JSON {
        let keys = index.filter { !$0.value.conflicting.isEmpty }.sorted { ConfigurationKey.precedes($0.key, $1.key) }
        return .array(
            keys.map { key, entry in
                let values = zip(entry.conflicting, entry.strings.all).map { number, value -> JSON in
                    ["id": .string(all[number].id), "name": .string(all[number].name), "value": .string(value)]
                }
                return ["key": .string(key.text), "values": .array(values)]
            })
    }
}

extension AppConfigurations: Equatable {
    /// Compares the dictionaries in their order.
    public static func == (a: AppConfigurations, b: AppConfigurations) -> Bool { a === b || a.all == b.all }
}

/// The name of a setting, compared byte by byte: canonically equivalent names are different.
private struct ConfigurationKey: Hashable, Sendable {
    private let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    static func precedes(_ a: ConfigurationKey, _ b: ConfigurationKey) -> Bool {
        a.bytes.lexicographicallyPrecedes(b.bytes)
    }
}
