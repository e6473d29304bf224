import MAMSupport

/// Whose account a row is, sealed under the state key: known even when the account itself does not open any more, so that
/// its name stays refused and a wipe can still be told and reported.
public struct AccountTag: Sendable {
    /// The object id, or the UPN while that is not known.
    public let accountId: String
    /// The UPN.
    public let upn: String?
    /// The authority's name for the enrollment.
    public let registration: String?

    /// Of an account.
    public init(_ record: AccountRecord) {
        accountId = record.accountId ?? record.upn ?? ""
        upn = record.upn
        registration = record.registration
    }

    init(json: JSON) {
        accountId = json["accountId"]?.string ?? ""
        upn = json["upn"]?.string
        registration = json["registration"]?.string
    }

    var json: JSON {
        ["accountId": .string(accountId), "upn": .optional(upn), "registration": .optional(registration)]
    }

    /// Whether a name is this account's.
    public func isNamed(_ identity: Identity) -> Bool {
        Identity.fold(accountId) == identity.folded || upn.map { Identity.fold($0) } == identity.folded
    }
}
