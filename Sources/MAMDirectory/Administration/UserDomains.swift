import MAMPolicy
import MAMSupport

/// The domains of users' names and how many users have each: one that nobody has, and that resembles another, is probably misspelt.
struct UserDomains {
    private var counts: [[UInt8]: Int64] = [:]

    init(_ store: Store) throws(MAMError) {
        try store.database.query("SELECT upn_key FROM users ORDER BY row") {
            if let domain = OrganizationDomains.domain(of: $0.blob(0)) { counts[Array(domain), default: 0] += 1 }
        }
    }

    /// The domain that a new one resembles; nil where a user has it, and where it resembles none. One edit, because an organisation may
    /// have a domain in each of several countries.
    func nearest(_ domain: [UInt8]) -> [UInt8]? {
        guard counts[domain] == nil, domain.count > 4 else { return nil }
        let others = counts.keys.filter { $0.count > 4 }.sorted { text($0) < text($1) }
        return NearestName.find(domain, among: others, limit: 1)
    }

    /// A note about the domain of a user who is added.
    func note(adding upn: Identity) -> String? {
        guard let domain = OrganizationDomains.domain(of: upn.folded).map(Array.init), let nearest = nearest(domain)
        else {
            return nil
        }
        return
            "no other user has a name in the domain \(ForeignText.quoted(text(domain))); did you mean \(ForeignText.quoted(text(nearest)))?"
    }

    /// A note about a domain that is stated as the organisation's.
    func note(stating domain: String) -> String? {
        guard let nearest = nearest(Identity.fold(domain)) else { return nil }
        return
            "no user has a name in the domain \(ForeignText.quoted(domain)); did you mean \(ForeignText.quoted(text(nearest)))?"
    }

    /// Domains that users were added with since `before`, beside ones that resemble them and had users before, or have more now.
    func questioned(since before: UserDomains) -> JSON {
        let added = counts.keys.filter { before.counts[$0] == nil }.sorted { text($0) < text($1) }
        return .array(
            added.prefix(1000).compactMap { domain -> JSON? in
                var others = self
                others.counts = counts.filter { other, count in
                    before.counts[other] != nil || count > counts[domain] ?? 0
                }
                return others.nearest(domain).map { ["name": .string(text(domain)), "nearest": .string(text($0))] }
            }.prefix(20).map(\.self))
    }

    private func text(_ domain: [UInt8]) -> String { String(decoding: domain, as: UTF8.self) }
}
