import MAMDirectory
import MAMPolicy
import MAMSupport

/// All that decides which documents reach a user in an app.
struct Reach: Hashable {
    let app: String
    /// The rows of the user's groups in their order, with commas.
    let groups: String
    /// Whether the user is of the service's own tenant.
    let isOwnTenant: Bool
}

/// Deliveries that were computed since the latest change by an administrator.
struct DeliveryCache {
    private static let capacity = 16_384
    private var sequence: Int64 = -1
    private var entries: [Reach: Delivered] = [:]

    /// A delivery as of an administrative change; nil where it was not computed since.
    func known(_ reach: Reach, _ sequence: Int64) -> Delivered? { sequence == self.sequence ? entries[reach] : nil }

    /// Keep a delivery.
    mutating func keep(_ delivered: Delivered, _ reach: Reach, _ sequence: Int64) {
        guard sequence >= self.sequence else { return }
        if sequence != self.sequence || entries.count >= DeliveryCache.capacity { entries = [:] }
        self.sequence = sequence
        entries[reach] = delivered
    }
}

extension Service {
    /// The delivery to a user in an app.
    func delivery(to user: User, app: AppFacts, _ store: Store) throws(MAMError) -> Answer<Delivered> {
        let sequence = try store.administrativeSequence()
        let reach = try store.reach(of: user, app: app, tenant)
        let known = checkIns.state.withLock { $0.deliveries.known(reach, sequence) }
        if let known, user.refusalCode == nil { return .granted(known) }
        if documents.sequence != sequence { documents = (sequence, DocumentCache()) }
        var store = store
        store.documentCache = documents.cache
        switch try store.delivery(to: user, app: app) {
        case .refused(let failure): return .refused(failure)
        case .granted(let reply):
            let delivered = Delivered(reply)
            checkIns.state.withLock { $0.deliveries.keep(delivered, reach, sequence) }
            return .granted(delivered)
        }
    }
}

extension Store {
    fileprivate func reach(of user: User, app: AppFacts, _ tenant: String) throws(MAMError) -> Reach {
        let groups = try database.all(
            "SELECT group_row FROM members WHERE user_row = ? ORDER BY group_row", .integer(user.row)
        ) { String($0.integer(0)) }
        return Reach(app: app.id, groups: groups.joined(separator: ","), isOwnTenant: user.tenantId == tenant)
    }
}
