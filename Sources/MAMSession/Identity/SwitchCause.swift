import MAMSupport
import Synchronization

/// The cause of a switch that libmam begins: the host opens something of another account, and is asked for permission first.
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
    /// The identities in effect until then.
    let from: IdentitySet
    /// Numbers the questions, so that one is not answered by the answer to another.
    let number = SwitchCause.count.wrappingAdd(1, ordering: .relaxed).newValue
}
