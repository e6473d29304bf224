import MAMPolicy
import MAMSupport

/// What an administrator imports, assigns to groups and targets at apps: policies and app configurations alike.
protocol TargetedDocument: Sendable {
    /// Its names, in requests and in the file.
    static var kind: DocumentKind { get }

    /// Read a document, known by an id.
    init(id: String, json: JSON) throws(MAMError)

    var id: String { get }
    var displayName: String { get }
    /// The document, unchanged.
    var json: JSON { get }
    /// Whether it reaches everybody, whatever it is assigned to.
    var isTenantDefault: Bool { get }
    /// Warnings for a person. `isTargeted`: the document targets apps.
    func remarks(isTargeted: Bool) -> [Remark]
    /// What the summary says first of all, behind id and name.
    var origin: [(key: String, value: JSON)] { get }
    /// What the summary counts.
    var size: (key: String, value: JSON) { get }
    /// What is told of each thing in it.
    var contents: (key: String, value: JSON) { get }
}

/// Something that a person should look at: a setting, what stands there, and one line.
struct Remark {
    let kind: LintFinding.Kind
    let setting: String
    let value: JSON
    let message: String
}

extension PolicyDocument: TargetedDocument {
    static let kind = DocumentKind(
        key: "policy", noun: "policy", plural: "policies", imports: "imports", assignments: "assignments",
        targets: "targets",
        defaultExcludesNobody: PolicyDocument.defaultExcludesNobody,
        mostDefaults: nil)

    /// The warnings of lint.
    func remarks(isTargeted: Bool) -> [Remark] {
        importWarnings(isTargeted: isTargeted).map { finding in
            let sentence = "policy \(id): \(finding.setting): \(finding.message)"
            return Remark(
                kind: finding.kind, setting: finding.setting, value: finding.value,
                message: finding.kind == .value ? finding.message : Line.bounded(sentence, limit: 1000))
        }
    }
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

    func remarks(isTargeted: Bool) -> [Remark] {
        let reach = DocumentReach(json, isTargeted: isTargeted || isTenantDefault)
        func remark(_ setting: String, _ value: JSON, _ message: String) -> Remark {
            Remark(
                kind: .reach, setting: setting, value: value,
                message: Line.bounded("configuration \(id): \(setting): \(message)"))
        }
        var found = reach.remarks.map { remark($0.setting, $0.value, $0.message) }
        if isTenantDefault, !reach.excludedGroups.isEmpty {
            found.append(remark("assignments", .null, AppConfigurationDocument.kind.defaultExcludesNobody))
        }
        return found
    }
    var origin: [(key: String, value: JSON)] {
        [("tenantDefault", .bool(isTenantDefault)), ("type", .string(json["@odata.type"]?.string ?? ""))]
    }
    var size: (key: String, value: JSON) { ("settings", .integer(Int64(configuration.values.count))) }
    var contents: (key: String, value: JSON) { ("values", configuration.json["values"] ?? .null) }
}
