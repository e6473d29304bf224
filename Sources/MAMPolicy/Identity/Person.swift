import MAMSupport

/// What is known of somebody whose account a host wants to show.
public struct Person: Sendable {
    /// Names in the form that is compared: an object id, a UPN, or what the host calls them.
    let names: [[UInt8]]
    private let tenant: [UInt8]?

    /// Somebody with these names.
    public init(names: [[UInt8]], tenantId: String?) {
        self.names = names
        tenant = tenantId.flatMap { $0.isEmpty ? nil : Identity.fold($0) }
    }

    /// Whether both are the same person.
    public func isSame(as other: Person) -> Bool { names.contains(where: other.names.contains) }

    /// Whether both are users of one organisation: of the same tenant, or of the same domain of a UPN.
    public func sharesOrganisation(with other: Person) -> Bool {
        if let tenant, tenant == other.tenant { return true }
        return domains.contains(where: other.domains.contains)
    }

    private var domains: [ArraySlice<UInt8>] {
        names.compactMap { OrganizationDomains.domain(of: $0) }
    }
}
