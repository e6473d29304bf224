import MAMPolicy
import MAMSupport

/// Policies by content: each is parsed and kept once, however many users it reaches, before or after the changes.
final class PolicyPool {
    private(set) var documents: [PolicyDocument] = []
    private var indices: [[UInt8]: [Int]] = [:]

    /// The index of a policy. Different documents under one id have different indices.
    func index(of record: PolicyRecord) throws(MAMError) -> Int {
        let key = Array(record.id.utf8)
        if let known = indices[key]?.first(where: { documents[$0].json == record.document }) { return known }
        documents.append(try PolicyDocument(id: record.id, json: record.document))
        indices[key, default: []].append(documents.count - 1)
        return documents.count - 1
    }
}

/// The result of a check-in of one account in one app.
struct Delivery: Hashable {
    let accountId, upn, tenantId: String
    /// Why the check-in is refused; nil where it delivers the policies.
    let refusal: Int?
    let isDisabled: Bool
    /// Indices in the ``PolicyPool``; empty where nothing restricts the account.
    let policies: [Int]
}

/// An authority before or after the simulated changes: its users and apps, and the policies that reach them.
struct AuthoritySnapshot {
    private let store: Store
    private let pool: PolicyPool
    private let indexCache: IndexCache

    /// Valid as long as the store does not change.
    init(_ store: Store, _ pool: PolicyPool) {
        var store = store
        store.documentCache = DocumentCache()
        self.store = store
        self.pool = pool
        indexCache = IndexCache()
    }

    /// Pool indices by policy id, so that each document is compared with the pool once.
    private final class IndexCache { var indices: [[UInt8]: Int] = [:] }

    /// Account keys in order of creation; nil where there are more than `limit`.
    func accounts(limit: Int) throws(MAMError) -> [[UInt8]]? {
        let found = try store.database.all(
            "SELECT account_key FROM users ORDER BY row LIMIT ?", .integer(Int64(limit) + 1)
        ) { $0.blob(0) }
        return found.count > limit ? nil : found
    }

    /// Apps that a policy or a registration names; nil where there are more than `limit`.
    func apps(limit: Int) throws(MAMError) -> [String]? {
        let found = try store.database.all("SELECT id FROM apps ORDER BY row LIMIT ?", .integer(Int64(limit) + 1)) {
            $0.text(0) ?? ""
        }
        return found.count > limit ? nil : found
    }

    /// The key of the account that a name means.
    func account(named name: Identity) throws(MAMError) -> [UInt8]? { try store.user(named: name)?.accountKey }

    /// The deliveries to an account in each app; nil where no user has the account.
    func deliveries(to account: [UInt8], in apps: [String]) throws(MAMError) -> [Delivery]? {
        guard let id = try? Identity(String(decoding: account, as: UTF8.self)),
            let user = try store.user(accountId: id)
        else { return nil }
        return try apps.map { (app) throws(MAMError) in
            // Keep in step with Store.delivery, which answers check-ins.
            let refusal = user.refusalCode
            let policies = refusal == nil ? try store.policies(of: user, app: AppFacts(id: app)) : []
            return Delivery(
                accountId: user.accountId, upn: user.upn, tenantId: user.tenantId,
                refusal: refusal.map { Int($0.rawValue) }, isDisabled: !user.isEnabled,
                policies: try policies.map { (record) throws(MAMError) in try index(of: record) })
        }
    }

    private func index(of record: PolicyRecord) throws(MAMError) -> Int {
        let key = Array(record.id.utf8)
        if let known = indexCache.indices[key] { return known }
        let index = try pool.index(of: record)
        indexCache.indices[key] = index
        return index
    }
}
