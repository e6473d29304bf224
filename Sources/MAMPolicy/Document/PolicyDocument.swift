import MAMSupport

/// A policy as Microsoft Graph exports it, and its parsed settings; docs/policy.md.
public struct PolicyDocument: Sendable {
    /// The id here: an export may have none.
    public let id: String
    /// The display name; "" if there is none.
    public let displayName: String
    /// The platform of its hosts.
    public let platform: Platform
    /// The `@odata.type`; "" if there is none.
    public let type: String
    /// The policy, unchanged.
    public let json: JSON
    /// The values that were not understood.
    public let unreadableValues: [PolicyWarning]
    /// The parsed settings.
    public let settings: PolicySettings
    /// The ids of the apps in its `apps`.
    let namedApps: [String]
    /// The settings about the operating systems and models of the policy's platform, if that is not this library's own, and the
    /// values among them that were not understood.
    let hostChecks: (settings: PolicySettings, unreadableValues: [PolicyWarning])

    /// Whether files of an account that has this policy alone are stored encrypted.
    public var encryptsFiles: Bool { DecisionRules(settings).isEncryptionRequired }

    /// Parses a policy. Fails only if it is not an object.
    public init(id: String, json: JSON) throws(MAMError) {
        try self.init(id: id, json: json, apps: ManagedAppList.ids(json["apps"]))
    }

    /// Parses a policy for these apps, ignoring its own `apps`.
    public init(id: String, json: JSON, apps: [String]) throws(MAMError) {
        guard let members = json.object else {
            throw MAMError(.json, "policy \(id): a policy is a JSON object, not \(json.typeName)")
        }
        let type = json["@odata.type"]?.string ?? ""
        let platform = Platform(type: type)
        var unreadable: [PolicyWarning] = []
        namedApps = apps
        let namesApps = !apps.isEmpty
        settings = PolicySettings(members, policyId: id, platform: platform, unreadable: &unreadable) {
            $0.isRead(on: platform, namesApps: namesApps)
        }
        var unreadableChecks: [PolicyWarning] = []
        let checks = PolicySettings(members, policyId: id, platform: platform, unreadable: &unreadableChecks) {
            property in
            property.isHostCheck && !property.isForeign(to: platform)
                && !property.isRead(on: platform, namesApps: namesApps)
        }
        hostChecks = (checks, unreadableChecks)
        self.id = id
        self.json = json
        self.type = type
        self.platform = platform
        unreadableValues = unreadable
        displayName = json["displayName"]?.string ?? ""
    }

    /// Whether targeted policies replace this one: `defaultManagedAppProtection`.
    public var isTenantDefault: Bool { platform == .default }

    /// The policy's properties in their order, with their status. Metadata, annotations and OData actions are omitted.
    public var properties: [PolicyProperty] {
        (json.object ?? []).compactMap { name, value in
            PropertyTable[name]?.isDescriptive == true ? nil : property(name, value)
        }
    }

    /// Returns those of the properties that the policy sets.
    func stated(_ names: [String]) -> [String] {
        names.filter { name in json[name].map { !$0.isNull && $0 != "" && $0 != [] } ?? false }
    }

    /// The number of properties of each status.
    public var counts: JSON {
        let all = properties
        return .object(
            PolicyProperty.Status.allCases.map { status in
                (status.rawValue, .integer(Int64(all.count { $0.status == status })))
            })
    }

    private func property(_ name: String, _ value: JSON) -> PolicyProperty {
        guard let known = PropertyTable[name] else {
            return PolicyProperty(name: name, value: value, status: .unknown, note: "")
        }
        if let setting = PolicySetting.allCases.first(where: { $0.twin?.name == name }),
            settings.value(of: setting.name) != nil
        {
            return PolicyProperty(name: name, value: value, status: .notApplicable, note: "\(setting.name) decides")
        }
        let (status, note) = known.status(on: platform, namesApps: !namedApps.isEmpty)
        return PolicyProperty(name: name, value: value, status: status, note: note)
    }
}
