import MAMSupport

/// The users and apps that a document's own `assignments`, `apps` and `appGroupType` reach, as in Microsoft Graph exports.
public struct DocumentReach: Sendable {
    /// A part of the document that does not reach what it seems to.
    public struct Issue: Sendable {
        /// The property.
        public let setting: String
        /// The property's value in the document.
        public let value: JSON
        /// The consequence, as the rest of a sentence that begins with the property.
        public let message: String

        init(_ setting: String, _ value: JSON, _ message: String) {
            self.setting = setting
            self.value = value
            self.message = message
        }
    }

    /// Assigned groups, by id.
    public private(set) var groups: [Identity] = []
    /// Excluded groups, by id.
    public private(set) var excludedGroups: [Identity] = []
    /// Whether the document is assigned to all users.
    public private(set) var allUsers = false
    /// The targeted apps, by id.
    public private(set) var apps: [String] = []
    /// Whether the document targets all apps.
    public let allApps: Bool
    /// The parts that reach nobody, or others than they seem to.
    public private(set) var issues: [Issue] = []

    /// Parses a document. `isTargeted`: it targets apps besides those that it names.
    public init(_ document: JSON, isTargeted: Bool = false) {
        allApps = document["appGroupType"]?.string == "allApps"
        read(document, "assignments") { reach, entry in reach.assignment(entry["target"] ?? .null) }
        read(document, "apps") { reach, entry in reach.app(entry) }
        if !allApps, !isTargeted, apps.isEmpty, let issue = DocumentReach.noApp(document) { issues.append(issue) }
    }

    /// Returns the reason that a document names no app; nil if it does not mention apps.
    private static func noApp(_ document: JSON) -> Issue? {
        let none = "so it reaches no app until one is targeted"
        if let group = document["appGroupType"], !group.isNull {
            let message =
                switch group.string {
                case "selectedPublicApps": "selects apps, and apps names none, \(none)"
                case "allCoreMicrosoftApps", "allMicrosoftApps":
                    "is a group of Microsoft's apps, which an authority cannot tell, and apps names none, \(none)"
                default: "is no group of apps that is known, and apps names none, \(none)"
                }
            return Issue("appGroupType", group, message)
        }
        guard let apps = document["apps"]?.array, apps.isEmpty else { return nil }
        return Issue("apps", [], "is empty, \(none)")
    }

    private mutating func read(_ document: JSON, _ setting: String, _ entry: (inout DocumentReach, JSON) -> String?) {
        guard let list = document[setting], !list.isNull else { return }
        guard let entries = list.array else {
            return issues.append(
                Issue(setting, list, "is a JSON \(list.typeName), not an array; it is not used for targeting"))
        }
        for value in entries {
            if let message = entry(&self, value) { issues.append(Issue(setting, value, message)) }
        }
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
        return DocumentReach.hasFilter(target)
            ? "has an assignment filter, which is ignored: the assignment counts on every device" : nil
    }

    private static func hasFilter(_ target: JSON) -> Bool {
        let type = target["deviceAndAppManagementAssignmentFilterType"]?.string ?? "none"
        let id = target["deviceAndAppManagementAssignmentFilterId"]?.string ?? ""
        return type != "none" || id.utf8.contains { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: "-") }
    }

    private mutating func app(_ entry: JSON) -> String? {
        guard let id = ManagedAppList.id(of: entry), id.utf8.count <= 256,
            !id.utf8.contains(where: { $0 < 0x21 || $0 == 0x7F })
        else { return "has an entry without a usable bundleId, packageId or windowsAppId; it is left out" }
        apps.append(id)
        return AppId.isValid(id) ? nil : "names the app \(ForeignText.quoted(id)), which no app here can be called"
    }
}
