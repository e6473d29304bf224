/// An enrollment that the authority granted.
public struct Enrollment: Sendable {
    /// The account id.
    public let accountId: String
    /// The UPN, as the authority writes it.
    public let upn: String
    /// The tenant id.
    public let tenantId: String?
    /// The id of the registration, for later calls.
    public let registration: String
    /// Wipe requests up to this id are older than the enrollment and do not apply to it.
    public let wipeMark: Int64
    /// The first epoch of exchange keys that the enrollment receives; 0 where the authority has none.
    public let exchangeMark: Int64
    /// The identity of the authority; nil where it is unsigned.
    public var identity: AuthorityIdentity?

    /// Create an enrollment.
    public init(
        accountId: String, upn: String, tenantId: String?, registration: String, wipeMark: Int64,
        exchangeMark: Int64 = 0
    ) {
        self.accountId = accountId
        self.upn = upn
        self.tenantId = tenantId
        self.registration = registration
        self.wipeMark = wipeMark
        self.exchangeMark = exchangeMark
    }
}
