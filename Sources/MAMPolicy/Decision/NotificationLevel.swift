/// What notifications may show: `notificationRestriction`, from loose to strict; the numbers of `MAM_NOTIFICATION_*`.
public enum NotificationLevel: Int32, Sendable, CaseIterable {
    case allow = 0
    /// Text that says nothing of the organisation.
    case blockOrgData
    case block

    /// Graph's name.
    var name: String {
        switch self {
        case .allow: "allow"
        case .blockOrgData: "blockOrganizationalData"
        case .block: "block"
        }
    }

    /// An unknown name is the strictest level.
    init(name: String?) { self = NotificationLevel.allCases.first { $0.name == name } ?? .block }

    static func stricter(_ a: NotificationLevel, _ b: NotificationLevel) -> NotificationLevel {
        a.rawValue >= b.rawValue ? a : b
    }
}
