import MAMSupport

/// Lists of links and schemes where policies of several platforms meet: Graph has them for Apple's policies and the tenant's, so
/// that Android's and Windows' cannot state an exception, and take none away.
enum LinkLists {
    static let settings: [PolicySetting] = [.exemptedProtocols, .exemptedLinks, .managedLinks]

    /// The policies that have a say in a list: of those that restrict what it is about, the ones that can state it, else all.
    static func voices(_ property: PropertyDefinition, in parts: [EffectivePolicy.Part]) -> [EffectivePolicy.Part] {
        guard let setting = property.setting, settings.contains(setting) else { return parts }
        let able = parts.filter { canState(setting, $0) }
        return able.isEmpty ? parts : able
    }

    /// The lists that those who can state them come to together, for the policies that cannot. Empty where none needs it.
    static func lent(by parts: [EffectivePolicy.Part]) -> [PolicySetting: [String]] {
        guard parts.count > 1, parts.contains(where: { isSilent($0.platform) }) else { return [:] }
        var lent: [PolicySetting: [String]] = [:]
        for setting in settings {
            guard let property = PropertyTable.read(setting.name), let kind = property.kind else { continue }
            let able = parts.filter { canState(setting, $0) && property.isSwitchedOn(in: $0.settings) }
            lent[setting] = MergedSetting(property, kind: kind, in: able)?.value.array?.compactMap(\.string)
        }
        return lent
    }

    private static func canState(_ setting: PolicySetting, _ part: EffectivePolicy.Part) -> Bool {
        !isSilent(part.platform) || part.settings.value(of: setting.name) != nil
    }

    /// Whether policies for a platform have none of the lists.
    static func isSilent(_ platform: Platform) -> Bool { platform == .android || platform == .windows }
}
