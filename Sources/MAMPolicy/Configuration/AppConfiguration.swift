import MAMSupport

/// A dictionary of settings for the app itself, and its source; docs/configuration.md.
public struct AppConfiguration: Sendable {
    /// The source of a dictionary.
    public enum Channel: String, Sendable, CaseIterable {
        /// The authority, because the configuration targets the user and the app.
        case targeted
        /// The authority, as the tenant's default.
        case tenantDefault
        /// The device's management, through the host.
        case device
    }

    /// The maximum number of settings in a dictionary.
    public static let maximumCount = 10_000
    /// The maximum number of bytes in all keys and values together.
    public static let maximumBytes = JSON.defaultLimit

    /// The id at the authority; "" for the device's configuration.
    public let id: String
    /// The display name; "" if there is none.
    public let name: String
    /// The source.
    public let channel: Channel
    /// The settings, sorted by the bytes of their keys.
    public let values: [(key: String, value: String)]

    /// Creates a dictionary. Fails for a key that is empty, contains NUL or occurs twice.
    public init(id: String, name: String, channel: Channel, values: [(key: String, value: String)]) throws(MAMError) {
        let about = channel == .device ? "device.managedAppConfig" : "app configuration \(id)"
        guard values.count <= AppConfiguration.maximumCount else {
            throw MAMError(
                .argument, "\(about) has \(values.count) settings; at most \(AppConfiguration.maximumCount) are read")
        }
        var bytes = 0
        for (key, value) in values {
            guard !key.isEmpty else { throw MAMError(.argument, "\(about) has a setting without a name") }
            guard !key.utf8.contains(0) else { throw AppConfiguration.error(about, key, "has NUL in its name") }
            bytes += key.utf8.count + value.utf8.count
        }
        guard bytes <= AppConfiguration.maximumBytes else {
            throw MAMError(
                .argument, "\(about) is \(bytes) bytes long; at most \(AppConfiguration.maximumBytes) are read")
        }
        let sorted = values.sorted { $0.key.precedesByBytes($1.key) }
        for (one, next) in zip(sorted, sorted.dropFirst()) where one.key.utf8.elementsEqual(next.key.utf8) {
            throw AppConfiguration.error(about, one.key, "stands there twice")
        }
        self.id = id
        self.name = name
        self.channel = channel
        self.values = sorted
    }

    static func error(_ about: String, _ key: String, _ what: String) -> MAMError {
        MAMError(
            .argument, "\(about): the setting \(ForeignText.quoted(key)) \(what)",
            [("setting", .string(ForeignText.bounded(key)))])
    }
}

extension AppConfiguration {
    /// The stored form: {"id","name","channel","values":{…}}.
    public var json: JSON {
        [
            "id": .string(id), "name": .string(name), "channel": .string(channel.rawValue),
            "values": .object(values.map { ($0.key, .string($0.value)) }),
        ]
    }

    /// Parses the stored form.
    public init(json: JSON) throws(MAMError) {
        guard let id = json["id"]?.string, let name = json["name"]?.string,
            let channel = json["channel"]?.string.flatMap(Channel.init(rawValue:)),
            let members = json["values"]?.object
        else { throw MAMError(.json, "an app configuration has an id, a name, a channel and values") }
        var values: [(key: String, value: String)] = []
        for (key, value) in members {
            guard let text = value.string else {
                throw AppConfiguration.error("app configuration \(id)", key, "is \(value.typeName), not a string")
            }
            values.append((key, text))
        }
        try self.init(id: id, name: name, channel: channel, values: values)
    }
}

/// Compares byte by byte.
extension AppConfiguration: Equatable {
    /// Compares byte by byte.
    public static func == (a: AppConfiguration, b: AppConfiguration) -> Bool {
        a.channel == b.channel && same(a.id, b.id) && same(a.name, b.name) && a.values.count == b.values.count
            && zip(a.values, b.values).allSatisfy { same($0.key, $1.key) && same($0.value, $1.value) }
    }

    private static func same(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
}
