import MAMSupport

/// The names and the tenant of a person whose account a host wants to show.
public struct Person: Sendable {
    /// The folded names: an object id, a UPN, or the host's name for the account.
    let names: [[UInt8]]
    private let tenant: [UInt8]?

    /// Creates a person.
    public init(names: [[UInt8]], tenantId: String?) {
        self.names = names
        tenant = tenantId.flatMap { $0.isEmpty ? nil : Identity.fold($0) }
    }

    /// Returns whether both are the same person.
    public func isSame(as other: Person) -> Bool { names.contains(where: other.names.contains) }

    /// Returns whether both belong to one organisation: to the same tenant, or by the domains of their UPNs.
    public func sharesOrganisation(with other: Person) -> Bool {
        if let tenant, tenant == other.tenant { return true }
        return domains.contains(where: other.domains.contains)
    }

    private var domains: [ArraySlice<UInt8>] {
        names.compactMap { OrganizationDomains.domain(of: $0) }
    }
}
