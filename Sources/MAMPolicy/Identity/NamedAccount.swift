import MAMSupport

/// An account as events, questions and findings name it: the account id never stands there without the UPN.
public struct NamedAccount: Sendable, Equatable {
    /// The account id, or the UPN while that is not known; nil where the account itself is not known.
    public let accountId: String?
    /// The UPN; nil where it is not known.
    public let upn: String?

    /// Both names of one account.
    public init(accountId: String?, upn: String?) {
        self.accountId = accountId
        self.upn = upn
    }

    /// The members of a JSON object about the account.
    public var members: [(key: String, value: JSON)] {
        [("accountId", .optional(accountId)), ("upn", .optional(upn))]
    }

    /// The members of a JSON object that may be about no account.
    static func members(_ account: NamedAccount?) -> [(key: String, value: JSON)] {
        (account ?? NamedAccount(accountId: nil, upn: nil)).members
    }
}
