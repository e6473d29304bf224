/// The names by which a host identifies an account before enrollment: an account id, a UPN, or both.
public struct AccountName: Sendable {
    /// The account id.
    public var accountId: String?
    /// The UPN.
    public var upn: String?
    /// The tenant id.
    public var tenantId: String?

    /// Create a name from its parts.
    public init(accountId: String? = nil, upn: String? = nil, tenantId: String? = nil) {
        self.accountId = accountId
        self.upn = upn
        self.tenantId = tenantId
    }
}
