/// What a host knows of an account before it is enrolled; an id, a UPN, or both.
public struct AccountName: Sendable {
    /// The object id.
    public var accountId: String?
    /// The sign-in name.
    public var upn: String?
    /// The tenant.
    public var tenantId: String?

    /// A name of an account.
    public init(accountId: String? = nil, upn: String? = nil, tenantId: String? = nil) {
        self.accountId = accountId
        self.upn = upn
        self.tenantId = tenantId
    }
}
