import MAMSupport

/// The effective IntuneMAMSettings: for each key an override, a value given to `mam_open`, or the default.
struct EffectiveSettings: Sendable {
    /// The source of a value, in order of precedence.
    enum Source: String, Sendable {
        case override, settings, infoPlist, `default`
    }

    private let given: [GivenSettings.Statement]
    private let overrides: [(name: String, value: JSON)]

    init(given: GivenSettings, overrides: [(name: String, value: JSON)]) {
        self.given = given.statements
        self.overrides = overrides
    }

    /// The stated value and its source; nil if the default applies.
    private func stated(_ name: String) -> (value: JSON, source: Source)? {
        if let override = overrides.first(where: { $0.name == name }) { return (override.value, .override) }
        let found =
            given.first { $0.source == .settings && $0.key.name == name } ?? given.first { $0.key.name == name }
        return found.map { ($0.value, $0.source) }
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
                let (value, source) = stated(key.name) ?? (key.defaultValue, .default)
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
