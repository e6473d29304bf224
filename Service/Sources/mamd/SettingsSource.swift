import Foundation

/// The settings, by their names in mamd.json.
enum Setting: String, CaseIterable {
    case publicURL, listen, tls, certificateLifetime, requestTimeout, requestsUnderWay, metrics
    case adminSocket, adminGroup, logFormat, logLevel, signIn, copies, database, replica

    /// The variable of the environment: MAMD_PUBLIC_URL for publicURL.
    var variable: String { "MAMD_" + words.joined(separator: "_").uppercased() }

    /// The option: --public-url for publicURL.
    var option: String { "--" + words.joined(separator: "-").lowercased() }

    private var words: [String] {
        var words = [""]
        var wasLower = false
        for character in rawValue {
            if character.isUppercase, wasLower { words.append("") }
            wasLower = character.isLowercase
            words[words.count - 1].append(character)
        }
        return words
    }

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// Values from one source. Each is one text, that of signIn as JSON, except publicURL, which is one or several.
struct SettingsSource {
    /// The source and the setting, as errors name it.
    let name: (Setting) -> String
    var values: [Setting: [String]]

    /// The options of a command.
    static func options(_ values: [Setting: String?]) -> SettingsSource {
        SettingsSource(name: { $0.option }, values: values.compactMapValues { $0.map { [$0] } })
    }

    /// The variables MAMD_…; another one than those of the settings is refused, since it is most likely misspelt.
    static func environment(_ environment: [String: String]) throws -> SettingsSource {
        var values: [Setting: [String]] = [:]
        for (variable, text) in environment.sorted(by: { $0.key < $1.key }) where variable.hasPrefix("MAMD_") {
            guard let setting = Setting.allCases.first(where: { $0.variable == variable }) else {
                throw Failure(
                    "\(variable): there is no such setting; there are \(Setting.allCases.map(\.variable).joined(separator: ", "))"
                )
            }
            values[setting] =
                setting == .publicURL ? text.split(separator: ",").map { String($0) } : [text]
        }
        return SettingsSource(name: { $0.variable }, values: values)
    }

    /// The file mamd.json of a folder. An unknown member is refused by its name.
    static func file(_ path: String) throws -> SettingsSource {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            throw Failure("\(path): \(unreadable(path))")
        }
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw Failure("\(path): has to be an object of JSON, with \(Setting.names)")
        }
        var values: [Setting: [String]] = [:]
        for (name, value) in object.sorted(by: { $0.key < $1.key }) {
            guard let setting = Setting(rawValue: name) else {
                throw Failure("\(path): \(name): there is no such setting; there are \(Setting.names)")
            }
            if value is NSNull { continue }
            guard let texts = SettingsSource.texts(value, of: setting) else {
                throw Failure(
                    "\(path): \(name): has to be "
                        + SettingsSource.form(setting))
            }
            values[setting] = texts
        }
        return SettingsSource(name: { "\(path): \($0.rawValue)" }, values: values)
    }

    /// Why a settings file is not read, and what to do: a folder of another user is not one to make again.
    private static func unreadable(_ path: String) -> String {
        for place in [path, (path as NSString).deletingLastPathComponent] {
            guard let facts = try? FileManager.default.attributesOfItem(atPath: place),
                let owner = facts[.ownerAccountID] as? NSNumber, owner.uint32Value != geteuid()
            else { continue }
            let name = facts[.ownerAccountName] as? String ?? "#\(owner)"
            return "cannot be read: it belongs to \(name); run mamd as its owner: sudo -u '\(name)' mamd …"
        }
        return FileManager.default.fileExists(atPath: path)
            ? "cannot be read by its owner: chmod u+r '\(path)'" : "there is none; make the folder with mamd init"
    }

    private static func form(_ setting: Setting) -> String {
        switch setting {
        case .publicURL: "a list of texts"
        case .tls: "true or false"
        case .signIn: "an object"
        case .requestsUnderWay: "a number"
        default: "a text"
        }
    }

    private static func texts(_ value: Any, of setting: Setting) -> [String]? {
        switch setting {
        case .publicURL: value as? [String]
        case .tls: (value as? Bool).map { [String($0)] }
        case .requestsUnderWay: (value as? Int).map { [String($0)] }
        case .signIn:
            (value as? [String: Any]).flatMap { try? JSONSerialization.data(withJSONObject: $0) }
                .map { [String(decoding: $0, as: UTF8.self)] }
        default: (value as? String).map { [$0] }
        }
    }
}
