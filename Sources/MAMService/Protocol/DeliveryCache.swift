import MAMDirectory
import MAMSupport

/// Deliveries that were computed since the latest change by an administrator, by user and app. Documents that several users have
/// are in memory once.
struct DeliveryCache {
    private struct Key: Hashable {
        let user: Int64
        let app: String
    }

    private static let capacity = 16_384
    private var sequence: Int64 = -1
    private var entries: [Key: Delivered] = [:]
    private var documents = DocumentCache()

    /// The delivery to a user in an app.
    mutating func delivery(to user: User, app: AppFacts, _ store: Store) throws(MAMError) -> Answer<Delivered> {
        let current = try store.administrativeSequence()
        if current != sequence || entries.count >= DeliveryCache.capacity {
            (sequence, entries, documents) = (current, [:], DocumentCache())
        }
        let key = Key(user: user.row, app: app.id)
        if let known = entries[key] { return .granted(known) }
        var store = store
        store.documentCache = documents
        switch try store.delivery(to: user, app: app) {
        case .refused(let failure): return .refused(failure)
        case .granted(let reply):
            let delivered = Delivered(reply)
            entries[key] = delivered
            return .granted(delivered)
        }
    }
}
