/// The accounts and apps that data may go to or come from, from loose to strict: Microsoft Graph's
/// `managedAppDataTransferLevel`, and Windows' own "none".
enum TransferLevel: Int, Sendable, CaseIterable {
    case allApps, managedApps
    /// "none" of Windows: only the organisation's accounts, and no location without an account; docs/policy.md "Windows".
    case organisation
    case none

    /// The names in policies, from loose to strict.
    static let names = ["allApps", "managedApps", "none"]

    /// Maps an unknown name to the strictest level.
    init(name: String?, on platform: Platform) {
        self =
            switch name {
            case "allApps": .allApps
            case "managedApps": .managedApps
            case "none" where platform == .windows: .organisation
            default: .none
            }
    }

    /// Whether data stays with the organisation's accounts and apps.
    var isWithinOrganisation: Bool { self == .managedApps || self == .organisation }

    static func stricter(_ a: TransferLevel, _ b: TransferLevel) -> TransferLevel { a.rawValue >= b.rawValue ? a : b }
}
