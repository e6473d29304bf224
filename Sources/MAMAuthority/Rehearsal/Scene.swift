import MAMPolicy
import MAMSupport

/// Policies by what is in them, each kept once however many users it reaches, before or after.
final class PolicyShelf {
    private(set) var documents: [PolicyDocument] = []
    private var places: [[UInt8]: [Int]] = [:]

    /// The place of a policy; another one under the same id has another place.
    func place(_ record: PolicyRecord) throws(MAMError) -> Int {
        let key = Array(record.id.utf8)
        if let known = places[key]?.first(where: { documents[$0].json == record.document }) { return known }
        documents.append(try PolicyDocument(id: record.id, json: record.document))
        places[key, default: []].append(documents.count - 1)
        return documents.count - 1
    }
}

/// What a user gets in an app at one moment.
struct Holding: Hashable {
    let accountId, upn, tenantId: String
    /// Why a check-in brings nothing; nil where it brings the policies.
    let refusal: Int?
    let isDisabled: Bool
    /// Places on the shelf; none: nothing restricts the account.
    let policies: [Int]
}

/// An authority at one moment: whom it knows, and what they get in which app.
struct Scene {
    private let store: Store
    private let shelf: PolicyShelf
    private let placesById: PlacesById

    /// As long as nothing in the store changes.
    init(_ store: Store, _ shelf: PolicyShelf) {
        var store = store
        store.known = KnownDocuments()
        self.store = store
        self.shelf = shelf
        placesById = PlacesById()
    }

    /// Comparing documents once is enough.
    private final class PlacesById { var places: [[UInt8]: Int] = [:] }

    /// Account keys in order of creation; nil where there are more than `most`.
    func accounts(most: Int) throws(MAMError) -> [[UInt8]]? {
        let found = try store.database.all(
            "SELECT account_key FROM users ORDER BY row LIMIT ?", .integer(Int64(most) + 1)
        ) { $0.blob(0) }
        return found.count > most ? nil : found
    }

    /// Apps that a policy or a registration names; nil where there are more than `most`.
    func apps(most: Int) throws(MAMError) -> [String]? {
        let found = try store.database.all("SELECT id FROM apps ORDER BY row LIMIT ?", .integer(Int64(most) + 1)) {
            $0.text(0) ?? ""
        }
        return found.count > most ? nil : found
    }

    /// The account that a name means.
    func account(named name: Identity) throws(MAMError) -> [UInt8]? { try store.user(named: name)?.accountKey }

    /// What an account gets in each of several apps; nil where nobody has it.
    func holdings(_ account: [UInt8], in apps: [String]) throws(MAMError) -> [Holding]? {
        guard let id = try? Identity(String(decoding: account, as: UTF8.self)),
            let user = try store.user(accountId: id)
        else { return nil }
        return try apps.map { (app) throws(MAMError) in
            // As a check-in does it: Store.delivery.
            let refusal = user.standing
            let policies = refusal == nil ? try store.policies(of: user, app: AppFacts(id: app)) : []
            return Holding(
                accountId: user.accountId, upn: user.upn, tenantId: user.tenantId,
                refusal: refusal.map { Int($0.rawValue) }, isDisabled: !user.isEnabled,
                policies: try policies.map { (record) throws(MAMError) in try place(record) })
        }
    }

    private func place(_ record: PolicyRecord) throws(MAMError) -> Int {
        let key = Array(record.id.utf8)
        if let known = placesById.places[key] { return known }
        let place = try shelf.place(record)
        placesById.places[key] = place
        return place
    }
}
