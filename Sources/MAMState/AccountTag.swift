import MAMSupport

/// Whose account a row is, sealed under the state key: known even when the account itself does not open any more, so that
/// its name stays refused and a wipe can still be told and reported.
public struct AccountTag: Sendable {
    /// The object id, or the UPN while that is not known.
    public let accountId: String
    /// The UPN.
    public let upn: String?
    /// Names that it had before.
    public let formerNames: [String]
    /// The authority's name for the enrollment.
    public let registration: String?

    /// Of an account.
    public init(_ record: AccountRecord) {
        accountId = record.accountId ?? record.upn ?? ""
        upn = record.upn
        formerNames = record.formerNames
        registration = record.registration
    }

    init(json: JSON) {
        accountId = json["accountId"]?.string ?? ""
        upn = json["upn"]?.string
        formerNames = AccountTag.names(json["formerNames"])
        registration = json["registration"]?.string
    }

    var json: JSON {
        [
            "accountId": .string(accountId), "upn": .optional(upn), "formerNames": .strings(formerNames),
            "registration": .optional(registration),
        ]
    }

    /// Whether a name is this account's, or was.
    public func isNamed(_ identity: Identity) -> Bool {
        ([accountId, upn].compactMap(\.self) + formerNames).contains { Identity.fold($0) == identity.folded }
    }

    /// The strings of a JSON array.
    static func names(_ json: JSON?) -> [String] { (json?.array ?? []).compactMap(\.string) }
}
