/// The content that notifications may show: `notificationRestriction`, from loose to strict, with the values of
/// `MAM_NOTIFICATION_*`.
public enum NotificationLevel: Int32, Sendable, CaseIterable {
    case allow = 0
    /// Only text without the organisation's data.
    case blockOrgData
    case block

    /// The Microsoft Graph name.
    var name: String {
        switch self {
        case .allow: "allow"
        case .blockOrgData: "blockOrganizationalData"
        case .block: "block"
        }
    }

    /// Maps an unknown name to the strictest level.
    init(name: String?) { self = NotificationLevel.allCases.first { $0.name == name } ?? .block }

    /// The level by two predicates; `answer` returns nil where it failed, and the level is then the strictest. The looser predicate is
    /// asked first, so that a change between the two makes the level stricter, if anything. (Inlinable: this takes nanoseconds.)
    @inlinable
    public init(_ answer: (Predicate) -> Bool?) {
        switch answer(.notificationOrgData) {
        case true?: self = .allow
        case false?: self = answer(.notification) == true ? .blockOrgData : .block
        case nil: self = .block
        }
    }

    static func stricter(_ a: NotificationLevel, _ b: NotificationLevel) -> NotificationLevel {
        a.rawValue >= b.rawValue ? a : b
    }
}
