import MAMSupport

/// Whom a document's own `assignments`, `apps` and `appGroupType` reach, as Graph exports write them.
struct DocumentReach {
    /// What in it reaches nobody, to be told.
    struct Remark {
        let setting: String
        let value: JSON
        let message: String
    }

    private(set) var groups: [Identity] = []
    private(set) var excludedGroups: [Identity] = []
    private(set) var allUsers = false
    private(set) var apps: [String] = []
    private(set) var allApps = false
    private(set) var remarks: [Remark] = []

    init(_ policy: JSON) {
        read(policy, "assignments") { reach, entry in reach.assignment(entry["target"] ?? .null) }
        read(policy, "apps") { reach, entry in reach.app(entry["mobileAppIdentifier"] ?? .null) }
        allApps = policy["appGroupType"]?.string == "allApps"
    }

    private mutating func read(_ policy: JSON, _ setting: String, _ entry: (inout DocumentReach, JSON) -> String?) {
        guard let list = policy[setting], !list.isNull else { return }
        guard let entries = list.array else {
            return remark(setting, list, "is a JSON \(list.typeName), not an array; it is not used for targeting")
        }
        for value in entries {
            if let message = entry(&self, value) { remark(setting, value, message) }
        }
    }

    private mutating func remark(_ setting: String, _ value: JSON, _ message: String) {
        remarks.append(Remark(setting: setting, value: value, message: message))
    }

    private mutating func assignment(_ target: JSON) -> String? {
        let type = target["@odata.type"]?.string ?? ""
        let kind = type.utf8.first == UInt8(ascii: "#") ? String(type.dropFirst()) : type
        switch kind {
        case "microsoft.graph.allLicensedUsersAssignmentTarget": allUsers = true
        case "microsoft.graph.groupAssignmentTarget", "microsoft.graph.exclusionGroupAssignmentTarget":
            guard let group = target["groupId"]?.string.flatMap({ try? Identity($0) }) else {
                return "has a target without a usable groupId; it is left out"
            }
            if kind == "microsoft.graph.groupAssignmentTarget" {
                groups.append(group)
            } else {
                excludedGroups.append(group)
            }
        case "microsoft.graph.allDevicesAssignmentTarget":
            return "targets devices; MAM policies reach users, so it is left out"
        default: return "has a target of a type that is not known; it is left out"
        }
        return nil
    }

    private mutating func app(_ identifier: JSON) -> String? {
        for key in ["bundleId", "packageId", "windowsAppId"] {
            guard let id = identifier[key]?.string else { continue }
            guard (1...256).contains(id.utf8.count), !id.utf8.contains(where: { $0 < 0x21 || $0 == 0x7F }) else {
                break
            }
            apps.append(id)
            return nil
        }
        return "has an entry without a usable bundleId, packageId or windowsAppId; it is left out"
    }
}

extension DocumentReach {
    /// What `*.import` and `*.show` tell.
    func warnings(of document: some TargetedDocument) -> [JSON] {
        let kind = type(of: document).kind
        var remarks = remarks
        if document.isTenantDefault, !excludedGroups.isEmpty {
            remarks.append(Remark(setting: "assignments", value: .null, message: kind.defaultExcludesNobody))
        }
        return remarks.map {
            .object([
                ("\(kind.noun)Id", .string(document.id)), ("setting", .string($0.setting)), ("value", $0.value),
                ("message", .string("\(kind.noun) \(document.id): \($0.setting) \($0.message)")),
            ])
        }
    }
}
