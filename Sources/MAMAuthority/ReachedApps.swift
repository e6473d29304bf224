import MAMSupport

/// The apps in which the authority has policies for a user: those that may call themselves managed.
public enum ReachedApps: Sendable, Equatable {
    /// Whatever its id.
    case all
    /// These.
    case listed([String])

    /// How many are listed at most; of more the authority vouches for none.
    static let mostListed: Int64 = 10_000

    /// As the state keeps it.
    public var json: JSON {
        switch self {
        case .all: true
        case .listed(let ids): .strings(ids)
        }
    }

    /// From the state; nil where it is not there.
    public init?(json: JSON?) {
        if json == true {
            self = .all
        } else if let ids = json?.array {
            self = .listed(ids.compactMap(\.string))
        } else {
            return nil
        }
    }

    /// Whether an app is among them.
    public func contains(_ app: String) -> Bool {
        switch self {
        case .all: true
        case .listed(let ids): ids.contains { $0.utf8.elementsEqual(app.utf8) }
        }
    }
}
