import MAMSupport

/// The IntuneMAMSettings keys with what decides each: an override, what `mam_open` was given, or the default.
struct EffectiveSettings: Sendable {
    private let given: [(key: SettingKey, value: JSON)]
    private let overrides: [(name: String, value: JSON)]

    init(given: [(key: SettingKey, value: JSON)], overrides: [(name: String, value: JSON)]) {
        self.given = given
        self.overrides = overrides
    }

    func value(_ name: String) -> (value: JSON, source: String) {
        if let override = overrides.first(where: { $0.name == name }) { return (override.value, "override") }
        if let setting = given.first(where: { $0.key.name == name }) { return (setting.value, "settings") }
        return (SettingKey.named(name)?.defaultValue ?? .null, "default")
    }

    func bool(_ name: String) -> Bool { value(name).value.bool ?? false }
    func strings(_ name: String) -> [String] { (value(name).value.array ?? []).compactMap(\.string) }
    func string(_ name: String) -> String? { value(name).value.string }

    var json: JSON {
        .array(
            SettingKey.all.map { key in
                let (value, source) = value(key.name)
                return [
                    "key": .string(key.name), "value": value, "source": .string(source),
                    "effect": .string(key.effect.rawValue),
                ]
            })
    }
}
