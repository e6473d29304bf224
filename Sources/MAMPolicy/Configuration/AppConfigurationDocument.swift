import MAMSupport

/// A `targetedManagedAppConfiguration` as Microsoft Graph exports it; docs/configuration.md.
public struct AppConfigurationDocument: Sendable {
    /// The setting that marks the tenant's default. It is not passed to the app.
    public static let defaultMarker = "__IsDefault"

    /// The id here: an export may have none.
    public let id: String
    /// The display name; "" if there is none.
    public let displayName: String
    /// The document, unchanged.
    public let json: JSON
    /// The parsed configuration.
    public let configuration: AppConfiguration

    /// Parses a configuration. Fails, naming the setting, if one cannot be delivered as it is.
    public init(id: String, json: JSON) throws(MAMError) {
        let about = "app configuration \(id)"
        guard json.object != nil else {
            throw MAMError(.json, "\(about): a configuration is a JSON object, not \(json.typeName)")
        }
        if let type = json["@odata.type"]?.string, DocumentType(name: type) != .configuration {
            throw MAMError(
                .argument,
                "\(about) is a \(ForeignText.quoted(type)); it must be a \"#microsoft.graph.targetedManagedAppConfiguration\"",
                [("setting", "@odata.type")])
        }
        var values = try AppConfigurationDocument.settings(json["customSettings"] ?? .null, about)
        let marker = values.first { $0.key == AppConfigurationDocument.defaultMarker }
        values.removeAll { $0.key == AppConfigurationDocument.defaultMarker }
        let isDefault = marker.map { ConfigurationValue.bool($0.value) == true } ?? false
        self.id = id
        self.json = json
        displayName = json["displayName"]?.string ?? ""
        configuration = try AppConfiguration(
            id: id, name: displayName, channel: isDefault ? .tenantDefault : .targeted, values: values)
    }

    /// The properties of a `targetedManagedAppConfiguration` in Microsoft Graph.
    public static let properties = [
        "@odata.type", "id", "displayName", "description", "createdDateTime", "lastModifiedDateTime", "version",
        "roleScopeTagIds", "customSettings", "settings", "deployedAppCount", "deploymentSummary", "isAssigned", "apps",
        "appGroupType", "targetedAppManagementLevels", "assignments",
    ]

    /// Properties of the document that resemble one of Graph, which is probably meant. Others are kept unread.
    public var misspeltProperties: [(name: String, meant: String)] {
        (json.object ?? []).compactMap { name, _ in
            guard !AppConfigurationDocument.properties.contains(name) else { return nil }
            let nearest = PropertySuggestion.nearest(to: name, among: AppConfigurationDocument.properties)
            return nearest.map { (name, $0) }
        }
    }

    /// Whether other configurations take precedence over this one.
    public var isTenantDefault: Bool { configuration.channel == .tenantDefault }

    private static func settings(_ json: JSON, _ about: String) throws(MAMError) -> [(key: String, value: String)] {
        if json.isNull { return [] }
        guard let elements = json.array else {
            throw MAMError(.json, "\(about): customSettings is \(json.typeName), not an array")
        }
        guard elements.count <= AppConfiguration.maximumCount else {
            throw MAMError(
                .argument,
                "\(about) has \(elements.count) settings; at most \(AppConfiguration.maximumCount) are read")
        }
        var values: [(key: String, value: String)] = []
        for (index, element) in elements.enumerated() {
            guard let name = element["name"]?.string else {
                throw MAMError(.json, "\(about): setting \(index + 1) of customSettings has no name")
            }
            guard let value = element["value"]?.string else {
                let type = element["value"]?.typeName ?? "missing"
                throw MAMError(
                    .json, "\(about): the value of setting \(ForeignText.quoted(name)) is \(type); it must be a string",
                    [("setting", .string(ForeignText.bounded(name)))])
            }
            values.append((name, value))
        }
        // A repeated marker is an error, as for any other name; check before the marker is removed.
        if values.count(where: { $0.key == defaultMarker }) > 1 {
            throw AppConfiguration.error(about, defaultMarker, "stands there twice")
        }
        return values
    }
}
