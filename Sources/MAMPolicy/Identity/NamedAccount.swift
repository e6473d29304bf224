import MAMSupport

/// An account in events, questions and findings, which always contain the UPN beside the account id.
public struct NamedAccount: Sendable, Equatable {
    /// The account id, or the UPN while the id is not known; nil if the account is not known.
    public let accountId: String?
    /// The UPN; nil if it is not known.
    public let upn: String?

    /// Creates an account from both names.
    public init(accountId: String?, upn: String?) {
        self.accountId = accountId
        self.upn = upn
    }

    /// The members of a JSON object that name the account.
    public var members: [(key: String, value: JSON)] {
        [("accountId", .optional(accountId)), ("upn", .optional(upn))]
    }

    /// Returns the members of a JSON object that names an account or none.
    static func members(_ account: NamedAccount?) -> [(key: String, value: JSON)] {
        (account ?? NamedAccount(accountId: nil, upn: nil)).members
    }
}
