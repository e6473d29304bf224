import MAMSupport

/// The apps in which a policy of the authority reaches a user; only these may present themselves as managed.
public enum TargetedApps: Sendable, Equatable {
    /// Every app.
    case all
    /// The apps with these ids.
    case listed([String])

    /// More apps than this are cut off, and are not presented as managed.
    static let maximumListed: Int64 = 10_000

    /// The form in which the state stores them.
    public var json: JSON {
        switch self {
        case .all: true
        case .listed(let ids): .strings(ids)
        }
    }

    /// Read the stored form; nil where it is absent.
    public init?(json: JSON?) {
        if json == true {
            self = .all
        } else if let ids = json?.array {
            self = .listed(ids.compactMap(\.string))
        } else {
            return nil
        }
    }

    /// Whether an app id is included.
    public func contains(_ app: String) -> Bool {
        switch self {
        case .all: true
        case .listed(let ids): ids.contains { $0.utf8.elementsEqual(app.utf8) }
        }
    }
}
