import MAMSupport

/// The IntuneMAMSettings keys given to `mam_open`, with the source of each.
struct GivenSettings: Sendable {
    /// One key from one source.
    struct Statement: Sendable {
        let key: SettingKey
        let value: JSON
        let source: EffectiveSettings.Source
    }

    /// The keys in `settings` and in the Info.plist; a key may be in both.
    private(set) var statements: [Statement] = []
    /// The path of the Info.plist; nil if there is none.
    private(set) var infoPlist: String?
    /// Warnings about unknown keys, former names and values that are left out.
    private(set) var warnings: [Warning] = []

    /// A message, and the key that it is about.
    struct Warning: Sendable {
        let message: String
        let setting: String
    }

    /// Maximum number of warnings.
    private static let maximumWarnings = 20

    /// Read both sources. A value of a wrong type is an error in either; an unknown key only in `settings`, because the app's
    /// Info.plist may be written for another release of the Intune App SDK.
    init(_ reader: inout ObjectReader) throws(MAMError) {
        for (name, value) in try reader.object("settings")?.object ?? [] {
            guard let key = SettingKey.named(name) else {
                throw MAMError(.json, "settings.\(name) is not an IntuneMAMSettings key", [("setting", .string(name))])
            }
            guard try isUsable(key, { () throws(MAMError) in try key.check(value) }) else { continue }
            add(key, value, name, .settings)
        }
        guard let path = try reader.string("infoPlist") else { return }
        infoPlist = path
        for (name, value) in try GivenSettings.dictionary(path, &warnings) {
            guard let key = SettingKey.named(name) else {
                warn("is not an IntuneMAMSettings key that libmam knows; it changes nothing", name)
                continue
            }
            let place = "infoPlist: \(ForeignText.bounded(path))"
            var json = JSON.null
            let isUsable = try isUsable(key) { () throws(MAMError) in json = try key.check(value, in: place) }
            if isUsable { add(key, json, name, .infoPlist) }
        }
    }

    /// Whether a value is valid. An invalid value of a cosmetic key is left out with a warning; of any other key it is an error.
    private mutating func isUsable(_ key: SettingKey, _ check: () throws(MAMError) -> Void) throws(MAMError) -> Bool {
        do throws(MAMError) { try check() } catch {
            guard key.isCosmetic else { throw error }
            if warnings.count < GivenSettings.maximumWarnings {
                warnings.append(
                    Warning(message: "\(error.message); it is left out, and the default counts", setting: key.name))
            }
            return false
        }
        return true
    }

    private static func dictionary(
        _ path: String, _ warnings: inout [Warning]
    ) throws(MAMError) -> [(key: String, value: PropertyList)] {
        func wrong(_ what: String) -> MAMError {
            MAMError(
                .json, "infoPlist: \(ForeignText.bounded(path)) \(what)",
                [("setting", "infoPlist"), ("path", .string(path))])
        }
        let list = try PropertyList(path: path, setting: "infoPlist")
        guard list.dictionary != nil else {
            throw wrong("is a list of the type \(list.typeName); it must be a dictionary")
        }
        guard let settings = list["IntuneMAMSettings"] else {
            warnings.append(
                Warning(
                    message: "infoPlist: \(ForeignText.bounded(path)) has no IntuneMAMSettings: it changes nothing",
                    setting: "infoPlist"))
            return []
        }
        guard let members = settings.dictionary else {
            throw wrong("has IntuneMAMSettings of the type \(settings.typeName); it must be a dictionary")
        }
        return members
    }

    /// Add a key. Its current name takes precedence over a former one.
    private mutating func add(_ key: SettingKey, _ value: JSON, _ name: String, _ source: EffectiveSettings.Source) {
        let known = statements.firstIndex { $0.source == source && $0.key.name == key.name }
        let isFormerName = !name.utf8.elementsEqual(key.name.utf8)
        if isFormerName { warn("is a former name of \(key.name)\(known == nil ? "" : ", which decides")", name) }
        let statement = Statement(key: key, value: value, source: source)
        if let known {
            if !isFormerName { statements[known] = statement }
        } else {
            statements.append(statement)
        }
    }

    private mutating func warn(_ what: String, _ name: String) {
        guard warnings.count < GivenSettings.maximumWarnings else { return }
        warnings.append(
            Warning(message: "\(ForeignText.quoted(name)) \(what)", setting: ForeignText.bounded(name, limit: 80)))
    }

    /// The keys in every list of ValuesToScrubFromLogging: none of them takes another's back.
    var scrubbedKeys: [String] {
        statements.filter { $0.key.name == SettingKey.valuesToScrubFromLogging }
            .flatMap { $0.value.array ?? [] }.compactMap(\.string)
    }

    /// The default of `app.group`: the first of AppGroupIdentifiers.
    var appGroup: String? { value(SettingKey.appGroupIdentifiers)?.array?.first?.string }

    /// The app that this program is an extension of; nil for an app of its own.
    var containingApp: String? { value(SettingKey.containingAppBundleId)?.string }

    private func value(_ name: String) -> JSON? {
        (statements.first { $0.key.name == name && $0.source == .settings } ?? statements.first { $0.key.name == name })?
            .value
    }
}
