import MAMSupport

/// One policy as Graph exports it, and what it comes to; docs/policy.md.
public struct PolicyDocument: Sendable {
    /// The id it is known by here (an export may have none).
    public let id: String
    /// Its name for people; "" where it has none.
    public let displayName: String
    /// The hosts that it was written for.
    public let platform: Platform
    /// Its `@odata.type`; "" where it has none.
    public let type: String
    /// The policy, unchanged.
    public let json: JSON
    /// What in it was not understood.
    public let warnings: [PolicyWarning]
    /// What it says.
    public let settings: PolicySettings
    /// The ids of the apps in its `apps`.
    let namedApps: [String]
    /// Its settings about the systems and models of its platform's hosts, where that is not this library's own; and what
    /// in them was not understood.
    let hostChecks: (settings: PolicySettings, warnings: [PolicyWarning])

    /// Read a policy. Only something that is not an object is an error.
    public init(id: String, json: JSON) throws(MAMError) {
        try self.init(id: id, json: json, apps: ManagedAppList.ids(json["apps"]))
    }

    /// The same of a policy that is for these apps, whatever its own `apps` say.
    public init(id: String, json: JSON, apps: [String]) throws(MAMError) {
        guard let members = json.object else {
            throw MAMError(.json, "policy \(id): a policy is a JSON object, not \(json.typeName)")
        }
        let type = json["@odata.type"]?.string ?? ""
        let platform = Platform(type: type)
        var warnings: [PolicyWarning] = []
        namedApps = apps
        let namesApps = !apps.isEmpty
        settings = PolicySettings(members, policyId: id, platform: platform, warnings: &warnings) {
            $0.isRead(on: platform, namesApps: namesApps)
        }
        var unread: [PolicyWarning] = []
        let checks = PolicySettings(members, policyId: id, platform: platform, warnings: &unread) { property in
            property.isHostCheck && !property.isForeign(to: platform)
                && !property.isRead(on: platform, namesApps: namesApps)
        }
        hostChecks = (checks, unread)
        self.id = id
        self.json = json
        self.type = type
        self.platform = platform
        self.warnings = warnings
        displayName = json["displayName"]?.string ?? ""
    }

    /// Whether it stands back where a policy is targeted: `defaultManagedAppProtection`.
    public var isTenantDefault: Bool { platform == .default }

    /// Each property of the policy that says what it does, in its order, and what becomes of it. Metadata, annotations and
    /// actions of OData are left out.
    public var properties: [PolicyProperty] {
        (json.object ?? []).compactMap { name, value in
            PropertyTable[name]?.isDescriptive == true ? nil : property(name, value)
        }
    }

    /// Which of these properties it gives a value.
    func stated(_ names: [String]) -> [String] {
        names.filter { name in json[name].map { !$0.isNull && $0 != "" && $0 != [] } ?? false }
    }

    /// How many properties there are of each status.
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
