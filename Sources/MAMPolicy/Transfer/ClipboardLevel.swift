/// The accounts and apps between which data may be copied: `allowedOutboundClipboardSharingLevel`, from loose to strict.
enum ClipboardLevel: Int, Sendable, CaseIterable {
    case allApps, managedAppsWithPasteIn, managedApps, blocked

    /// The Microsoft Graph names for mobile platforms and for Windows.
    var names: [String] {
        switch self {
        case .allApps: ["allApps", "anyDestinationAnySource"]
        case .managedAppsWithPasteIn: ["managedAppsWithPasteIn", "orgDestinationAnySource"]
        case .managedApps: ["managedApps", "orgDestinationOrgSource"]
        case .blocked: ["blocked", "none"]
        }
    }

    /// Maps an unknown name to the strictest level. Windows' "none" restricts only transfers outside of the organisation;
    /// docs/policy.md "Windows".
    init(name: String?, on platform: Platform) {
        self =
            platform == .windows && name == "none"
            ? .managedApps : ClipboardLevel.allCases.first { $0.names.contains(name ?? "") } ?? .blocked
    }

    /// Returns whether the peer may paste this account's data.
    func permits(to relation: Relation) -> Bool {
        switch self {
        case .allApps: true
        case .managedAppsWithPasteIn, .managedApps: relation.isOrganisation
        case .blocked: relation == .sameAccount
        }
    }

    /// Returns whether this account may paste the peer's data.
    func permits(from relation: Relation) -> Bool {
        switch self {
        case .allApps, .managedAppsWithPasteIn: true
        case .managedApps: relation.isOrganisation
        case .blocked: relation == .sameAccount
        }
    }
}
