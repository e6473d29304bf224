import MAMSupport

/// The names of a row's account, sealed under the state key. They remain readable when the account does not open any more, so that
/// its names stay refused and its wipe can be reported.
public struct AccountTag: Sendable {
    /// The account id, or the UPN while the id is unknown.
    public let accountId: String
    /// The UPN.
    public let upn: String?
    /// Former names.
    public let formerNames: [String]
    /// The domains that the authority states of its tenant.
    public let domains: [String]
    /// The tenant, where the authority has stated it.
    public let tenantId: String?
    /// The authority's id of the enrollment.
    public let registration: String?

    /// The tag of an account.
    public init(_ record: AccountRecord) {
        accountId = record.accountId ?? record.upn ?? ""
        upn = record.upn
        formerNames = record.formerNames
        domains = record.domains
        tenantId = record.tenantId
        registration = record.registration
    }

    init(json: JSON) {
        accountId = json["accountId"]?.string ?? ""
        upn = json["upn"]?.string
        formerNames = AccountTag.names(json["formerNames"])
        domains = AccountTag.names(json["domains"])
        tenantId = json["tenantId"]?.string
        registration = json["registration"]?.string
    }

    var json: JSON {
        [
            "accountId": .string(accountId), "upn": .optional(upn), "formerNames": .strings(formerNames),
            "domains": .strings(domains), "tenantId": .optional(tenantId), "registration": .optional(registration),
        ]
    }

    /// Every name that identifies the account.
    public var allNames: [String] { [accountId, upn].compactMap(\.self) + formerNames }

    /// Whether a name is or was the account's.
    public func isNamed(_ identity: Identity) -> Bool { allNames.contains { Identity.fold($0) == identity.folded } }

    /// The strings in a JSON array.
    static func names(_ json: JSON?) -> [String] { (json?.array ?? []).compactMap(\.string) }
}
