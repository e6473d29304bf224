import MAMSupport
import Synchronization

/// A switch that libmam begins: the host takes in something of another account, and is asked for leave first.
struct SwitchCause: Sendable {
    private static let count = Atomic<UInt64>(0)

    /// The question's "reason".
    enum Reason: Sendable {
        case documentImport
        case openURL(String)

        var name: String {
            switch self {
            case .documentImport: "documentImport"
            case .openURL: "openURL"
            }
        }
    }

    let reason: Reason
    /// The accounts that are acted for until then.
    let from: Identities
    /// Each cause is a question of its own: the answer to another one is not this one's.
    let number = SwitchCause.count.wrappingAdd(1, ordering: .relaxed).newValue
}
