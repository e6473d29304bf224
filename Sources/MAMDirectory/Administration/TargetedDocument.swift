import MAMPolicy
import MAMSupport

/// A document that an administrator imports, assigns to groups and targets at apps: a policy or an app configuration.
protocol TargetedDocument: Sendable {
    /// The names of this kind in requests and in the file.
    static var kind: DocumentKind { get }

    /// Parse a document that has an id.
    init(id: String, json: JSON) throws(MAMError)

    var id: String { get }
    var displayName: String { get }
    /// The document as imported.
    var json: JSON { get }
    /// Whether the document reaches all users regardless of assignments.
    var isTenantDefault: Bool { get }
    /// Warnings for the administrator. `isTargeted`: the document targets apps.
    func warnings(isTargeted: Bool) -> [DocumentWarning]
    /// Members of the summary after id and name.
    var origin: [(key: String, value: JSON)] { get }
    /// A count for the summary.
    var size: (key: String, value: JSON) { get }
    /// The member of `*.show` that lists the document's settings.
    var contents: (key: String, value: JSON) { get }
    /// The names of the settings that the document states, of those that count.
    var stated: [String] { get }
    /// The changes from a former document, of settings that both state, that restrict less.
    func loosened(from former: Self) -> [SettingChange]
}

/// A warning about a setting of a document: its value and one line.
struct DocumentWarning {
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
        maximumDefaults: nil)

    /// The findings of lint.
    func warnings(isTargeted: Bool) -> [DocumentWarning] {
        importWarnings(isTargeted: isTargeted).map { finding in
            let sentence = "policy \(id): \(finding.setting): \(finding.message)"
            return DocumentWarning(
                kind: finding.kind, setting: finding.setting, value: finding.value,
                message: finding.kind == .value ? finding.message : ForeignText.bounded(sentence, limit: 1000))
        }
    }
    var origin: [(key: String, value: JSON)] {
        [("platform", .string(platform.name)), ("type", .string(type)), ("encryptsFiles", .bool(encryptsFiles))]
    }
    var size: (key: String, value: JSON) { ("counts", counts) }
    var contents: (key: String, value: JSON) { ("properties", .array(properties.map(\.json))) }
    var stated: [String] { properties.filter { $0.status == .enforced && !$0.value.isNull }.map(\.name) }
    func loosened(from former: PolicyDocument) -> [SettingChange] {
        let both = Set(stated).intersection(former.stated)
        return EffectivePolicy(merging: [former]).changes(to: EffectivePolicy(merging: [self])).filter {
            $0.direction == .looser && both.contains($0.setting)
        }
    }
}

extension AppConfigurationDocument: TargetedDocument {
    static let kind = DocumentKind(
        key: "config", noun: "configuration", plural: "configurations", imports: "configuration_imports",
        assignments: "configuration_assignments", targets: "configuration_targets",
        defaultExcludesNobody: "excludes a group, but a tenant default reaches everybody",
        maximumDefaults: 1)

    func warnings(isTargeted: Bool) -> [DocumentWarning] {
        let reach = DocumentReach(json, isTargeted: isTargeted || isTenantDefault)
        func remark(_ setting: String, _ value: JSON, _ message: String) -> DocumentWarning {
            DocumentWarning(
                kind: .reach, setting: setting, value: value,
                message: ForeignText.bounded("configuration \(id): \(setting): \(message)"))
        }
        var found = misspeltProperties.map { name, meant in
            DocumentWarning(
                kind: .unknown, setting: ForeignText.bounded(name, limit: 200), value: json[name] ?? .null,
                message: ForeignText.bounded(
                    "configuration \(id): \(ForeignText.bounded(name, limit: 200)): no property of this name is known, so it does "
                        + "nothing; is \(meant) meant?", limit: 1000))
        }
        found += reach.issues.map { remark($0.setting, $0.value, $0.message) }
        if isTenantDefault, !reach.excludedGroups.isEmpty {
            found.append(remark("assignments", .null, AppConfigurationDocument.kind.defaultExcludesNobody))
        }
        return found
    }
    var origin: [(key: String, value: JSON)] {
        [("tenantDefault", .bool(isTenantDefault)), ("type", .string(json["@odata.type"]?.string ?? ""))]
    }
    func loosened(from former: AppConfigurationDocument) -> [SettingChange] { [] }
    var size: (key: String, value: JSON) { ("settings", .integer(Int64(configuration.values.count))) }
    var contents: (key: String, value: JSON) { ("values", configuration.json["values"] ?? .null) }
    var stated: [String] { configuration.values.map(\.key) }
}
