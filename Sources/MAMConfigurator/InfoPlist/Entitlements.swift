import MAMValues

/// The entitlements of an app, as far as its Info.plist depends on them. They are read and never changed.
public struct Entitlements: Sendable {
    static let appGroupsKey = "com.apple.security.application-groups"
    private static let keychainKey = "keychain-access-groups"
    private static let sharedGroups = ["com.microsoft.intune.mam", "com.microsoft.adalcache"]
    private static let groupOf2017 = "com.microsoft.workplacejoin"

    let appGroups: [String]
    private let keychainGroups: [String]

    /// Read a file of entitlements.
    public init(_ bytes: [UInt8]) throws(ConfiguratorError) {
        let list = try PropertyListDocument(bytes)
        appGroups = try list.strings(at: [.key(Entitlements.appGroupsKey)]) ?? []
        keychainGroups = try list.strings(at: [.key(Entitlements.keychainKey)]) ?? []
    }

    /// Groups that a version of the Intune App SDK needs and these lack.
    func warnings(for set: SchemeSet) -> [String] {
        let groups = keychainGroups.map(Entitlements.withoutPrefix)
        let wanted = Entitlements.sharedGroups + (set.isOf2017 ? [Entitlements.groupOf2017] : [])
        var warnings = wanted.filter { !groups.contains($0) }.map {
            "the entitlements' \(Entitlements.keychainKey) lack $(AppIdentifierPrefix)\($0): add it"
        }
        if let first = groups.first, (Entitlements.sharedGroups + [Entitlements.groupOf2017]).contains(first) {
            warnings.append(
                "the first of the entitlements' \(Entitlements.keychainKey) is \(first): the app's own id must come before it"
            )
        }
        return warnings
    }

    /// A group without the team that Xcode puts before it: a build variable, or ten letters and digits.
    private static func withoutPrefix(_ group: String) -> String {
        if group.hasPrefix("$("), let end = group.firstIndex(of: ")") {
            return String(group[group.index(after: end)...])
        }
        let team = group.prefix { $0 != "." }
        return team.count == 10 && team.allSatisfy { $0.isUppercase || $0.isNumber }
            ? String(group.dropFirst(11)) : group
    }
}
