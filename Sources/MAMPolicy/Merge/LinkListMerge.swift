import MAMSupport

/// Lists of links and schemes in the merge of several platforms' policies. Microsoft Graph has them for iOS policies and the
/// tenant's default only, so policies for Android and Windows neither set exceptions nor remove any.
enum LinkListMerge {
    static let settings: [PolicySetting] = [.exemptedProtocols, .exemptedLinks, .managedLinks]

    /// Returns the policies that determine a list: those that can set it, else all.
    static func deciding(
        _ property: PropertyDefinition, in policies: [EffectivePolicy.MergedPolicy]
    ) -> [EffectivePolicy.MergedPolicy] {
        guard let setting = property.setting, settings.contains(setting) else { return policies }
        let able = policies.filter { canState(setting, $0) }
        return able.isEmpty ? policies : able
    }

    /// Returns the merged lists of the policies that can set them, for the policies that cannot; empty if none needs them.
    static func shared(by policies: [EffectivePolicy.MergedPolicy]) -> [PolicySetting: [String]] {
        guard policies.count > 1, policies.contains(where: { lacksLists($0.platform) }) else { return [:] }
        var shared: [PolicySetting: [String]] = [:]
        for setting in settings {
            guard let property = PropertyTable.read(setting.name), let kind = property.kind else { continue }
            let able = policies.filter { canState(setting, $0) && property.isSwitchedOn(in: $0.settings) }
            shared[setting] = MergedSetting(property, kind: kind, in: able)?.value.array?.compactMap(\.string)
        }
        return shared
    }

    private static func canState(_ setting: PolicySetting, _ policy: EffectivePolicy.MergedPolicy) -> Bool {
        !lacksLists(policy.platform) || policy.settings.value(of: setting.name) != nil
    }

    /// Returns whether policies for a platform have none of the lists.
    static func lacksLists(_ platform: Platform) -> Bool { platform == .android || platform == .windows }
}
