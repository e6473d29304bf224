import MAMSupport

/// The effective IntuneMAMSettings: for each key an override, a value given to `mam_open`, or the default.
struct EffectiveSettings: Sendable {
    /// The source of a value, in order of precedence.
    enum Source: String, Sendable {
        case override, settings, infoPlist, kept, `default`
    }

    private let given: [GivenSettings.Statement]
    private let overrides: [(name: String, value: JSON)]
    /// Keys that sessions of the app were once given to scrub.
    let kept: ScrubbedKeys
    /// All keys whose values stay out of logs.
    let scrubbed: ScrubbedKeys

    init(given: GivenSettings, overrides: [(name: String, value: JSON)], kept: ScrubbedKeys) {
        self.given = given.statements.filter { !$0.key.isAbsent($0.value) }
        self.overrides = overrides.filter { $0.value != "" || SettingKey.named($0.name)?.isAbsent($0.value) != true }
        self.kept = kept
        let override = overrides.first { $0.name == SettingKey.valuesToScrubFromLogging }?.value.array ?? []
        scrubbed = kept.joined(override.compactMap(\.string) + given.scrubbedKeys)
    }

    /// The stated value and its source; nil if the default applies.
    private func stated(_ name: String) -> (value: JSON, source: Source)? {
        if let override = overrides.first(where: { $0.name == name }) { return (override.value, .override) }
        let found =
            given.first { $0.source == .settings && $0.key.name == name } ?? given.first { $0.key.name == name }
        return found.map { ($0.value, $0.source) }
    }

    /// The same for the table of all keys, where every list of ValuesToScrubFromLogging counts.
    private func shown(_ key: SettingKey) -> (value: JSON, source: Source) {
        let found = stated(key.name)
        guard key.name == SettingKey.valuesToScrubFromLogging, !scrubbed.keys.isEmpty else {
            return found ?? (key.defaultValue, .default)
        }
        return (.strings(scrubbed.keys), found?.source ?? .kept)
    }

    // A lookup of one key does not build the table of all keys, which a session that is only opened never needs.
    private func value(_ name: String) -> JSON? { stated(name)?.value ?? SettingKey.ownDefault(of: name) }
    func bool(_ name: String) -> Bool { value(name)?.bool ?? false }
    func strings(_ name: String) -> [String] { (value(name)?.array ?? []).compactMap(\.string) }
    func string(_ name: String) -> String? { value(name)?.string }

    /// Every key in the shape of `mam_settings`.
    var json: JSON {
        .array(
            SettingKey.all.map { key in
                let (value, source) = shown(key)
                let others = given.filter { $0.key.name == key.name && $0.source != source }
                return [
                    "key": .string(key.name), "value": value, "source": .string(source.rawValue),
                    "effect": .string(key.effect.rawValue), "note": .optional(key.note),
                    "over": .array(
                        others.map { ["source": .string($0.source.rawValue), "value": $0.value] }),
                ]
            })
    }
}
