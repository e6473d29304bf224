import MAMPolicy
import MAMSupport

/// What an administrator imports, assigns to groups and targets at apps: policies and app configurations alike.
protocol TargetedDocument: Sendable {
    /// Its names, in requests and in the file.
    static var kind: DocumentKind { get }
    /// The documents of an export.
    static func documents(in json: JSON) throws(MAMError) -> [JSON]

    /// Read a document, known by an id.
    init(id: String, json: JSON) throws(MAMError)

    var id: String { get }
    var displayName: String { get }
    /// The document, unchanged.
    var json: JSON { get }
    /// Whether it reaches everybody, whatever it is assigned to.
    var isTenantDefault: Bool { get }
    /// What in it was not understood, as replies tell it.
    var remarks: [JSON] { get }
    /// What the summary says first of all, behind id and name.
    var origin: [(key: String, value: JSON)] { get }
    /// What the summary counts.
    var size: (key: String, value: JSON) { get }
    /// What is told of each thing in it.
    var contents: (key: String, value: JSON) { get }
}

extension PolicyDocument: TargetedDocument {
    static let kind = DocumentKind(
        key: "policy", noun: "policy", plural: "policies", imports: "imports", assignments: "assignments",
        targets: "targets",
        defaultExcludesNobody:
            "excludes a group, but a tenant default reaches everybody whom no other policy reaches",
        mostDefaults: nil)

    static func documents(in json: JSON) throws(MAMError) -> [JSON] { try policies(in: json) }

    var remarks: [JSON] { warnings.map(\.json) }
    var origin: [(key: String, value: JSON)] { [("platform", .string(platform.name)), ("type", .string(type))] }
    var size: (key: String, value: JSON) { ("counts", counts) }
    var contents: (key: String, value: JSON) { ("properties", .array(properties.map(\.json))) }
}

extension AppConfigurationDocument: TargetedDocument {
    static let kind = DocumentKind(
        key: "config", noun: "configuration", plural: "configurations", imports: "configuration_imports",
        assignments: "configuration_assignments", targets: "configuration_targets",
        defaultExcludesNobody: "excludes a group, but a tenant default reaches everybody",
        mostDefaults: 1)

    static func documents(in json: JSON) throws(MAMError) -> [JSON] { try configurations(in: json) }

    var remarks: [JSON] { [] }
    var origin: [(key: String, value: JSON)] {
        [("tenantDefault", .bool(isTenantDefault)), ("type", .string(json["@odata.type"]?.string ?? ""))]
    }
    var size: (key: String, value: JSON) { ("settings", .integer(Int64(configuration.values.count))) }
    var contents: (key: String, value: JSON) { ("values", configuration.json["values"] ?? .null) }
}
