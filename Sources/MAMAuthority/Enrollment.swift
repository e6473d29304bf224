/// An enrollment that the authority granted.
public struct Enrollment: Sendable {
    /// The user's object id.
    public let accountId: String
    /// The sign-in name, as the authority writes it.
    public let upn: String
    /// The user's tenant.
    public let tenantId: String?
    /// Names this enrollment in later calls.
    public let registration: String
    /// Wipe requests up to this id were made before the enrollment and do not concern it.
    public let wipeMark: Int64
    /// Exchange keys are the enrollment's from this epoch on; 0 where the authority has none.
    public let exchangeMark: Int64
    /// The authority that granted it; nil where it signs nothing.
    public var identity: AuthorityIdentity?

    /// An enrollment.
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
