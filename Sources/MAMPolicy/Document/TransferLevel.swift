/// Where data may go to or come from: Graph's `managedAppDataTransferLevel`, from loose to strict.
enum TransferLevel: Int, Sendable, CaseIterable {
    case allApps, managedApps, none

    var name: String {
        switch self {
        case .allApps: "allApps"
        case .managedApps: "managedApps"
        case .none: "none"
        }
    }

    /// An unknown name is the strictest level.
    init(name: String?) { self = TransferLevel.allCases.first { $0.name == name } ?? .none }

    static func stricter(_ a: TransferLevel, _ b: TransferLevel) -> TransferLevel { a.rawValue >= b.rawValue ? a : b }
}
