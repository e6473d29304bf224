/// Between whom the clipboard works: `allowedOutboundClipboardSharingLevel`, from loose to strict.
enum ClipboardLevel: Int, Sendable, CaseIterable {
    case allApps, managedAppsWithPasteIn, managedApps, blocked

    /// Graph's name for mobile apps, and the one for Windows.
    var names: [String] {
        switch self {
        case .allApps: ["allApps", "anyDestinationAnySource"]
        case .managedAppsWithPasteIn: ["managedAppsWithPasteIn", "orgDestinationAnySource"]
        case .managedApps: ["managedApps", "orgDestinationOrgSource"]
        case .blocked: ["blocked", "none"]
        }
    }

    /// An unknown name is the strictest level. "none" of Windows is about what is outside of the organisation; docs/policy.md
    /// "Windows".
    init(name: String?, on platform: Platform) {
        self =
            platform == .windows && name == "none"
            ? .managedApps : ClipboardLevel.allCases.first { $0.names.contains(name ?? "") } ?? .blocked
    }

    /// Whether this account's data may be pasted by the other side.
    func permits(to relation: Relation) -> Bool {
        switch self {
        case .allApps: true
        case .managedAppsWithPasteIn, .managedApps: relation.isOrganisation
        case .blocked: relation == .sameAccount
        }
    }

    /// Whether this account may paste the other side's data.
    func permits(from relation: Relation) -> Bool {
        switch self {
        case .allApps, .managedAppsWithPasteIn: true
        case .managedApps: relation.isOrganisation
        case .blocked: relation == .sameAccount
        }
    }
}
