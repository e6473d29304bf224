import MAMSupport

/// Whose the device is and who may use it, as the host said at an open: the device's account and three keys of its app
/// configuration. Names are compared with ASCII letters folded.
public struct DeviceAccounts: Sendable, Equatable {
    /// The object id of the account that the device is enrolled with.
    public let mdmAccountId: String?
    /// IntuneMAMUPN.
    public let upn: String?
    /// IntuneMAMOID.
    public let objectId: String?
    /// IntuneMAMAllowedAccountsOnly.
    public let isAllowedOnly: Bool

    /// What the host says; without anything the device is nobody's.
    public init(mdmAccountId: String? = nil, configuration: JSON? = nil) {
        func text(_ key: String) -> String? {
            configuration?[key]?.string.flatMap { $0.isEmpty ? nil : $0 }
        }
        self.mdmAccountId = mdmAccountId
        upn = text("IntuneMAMUPN")
        objectId = text("IntuneMAMOID")
        isAllowedOnly = Identity.fold(text("IntuneMAMAllowedAccountsOnly") ?? "") == Array("enabled".utf8)
    }

    /// Read the stored form.
    public init(json: JSON) {
        mdmAccountId = json["mdmAccountId"]?.string
        upn = json["upn"]?.string
        objectId = json["objectId"]?.string
        isAllowedOnly = json["isAllowedOnly"]?.bool ?? false
    }

    /// The stored form: {"mdmAccountId","upn","objectId","isAllowedOnly"}.
    public var json: JSON {
        [
            "mdmAccountId": .optional(mdmAccountId), "upn": .optional(upn), "objectId": .optional(objectId),
            "isAllowedOnly": .bool(isAllowedOnly),
        ]
    }

    /// Who may be used; nil where anybody may.
    public var allowed: [String]? { isAllowedOnly ? configured : nil }

    /// Why an account may not be used here; nil where it may.
    public func refusal(accountId: String?, upn: String?) -> StatusCode? {
        let given = [accountId, upn].compactMap { $0.map { Identity.fold($0) } }
        // A device's account is told by its object id alone: a UPN says nothing of it.
        if let mdmAccountId, accountId != nil, !DeviceAccounts.names([mdmAccountId], oneOf: given) {
            return .mdmEnrolledDifferentUser
        }
        if !configured.isEmpty, !DeviceAccounts.names(configured, oneOf: given) {
            return isAllowedOnly ? .notDeviceAccount : .notEmmAccount
        }
        return isAllowedOnly && configured.isEmpty ? .notDeviceAccount : nil
    }

    /// Whether an account, by its folded names, is the one that the device is managed for: it alone gets what the device's
    /// management configures.
    public func isManaged(for account: [[UInt8]]) -> Bool {
        DeviceAccounts.names(mdmAccountId.map { [$0] } ?? configured, oneOf: account)
    }

    /// The names in the app configuration.
    private var configured: [String] { [upn, objectId].compactMap { $0 } }

    private static func names(_ names: [String], oneOf account: [[UInt8]]) -> Bool {
        names.contains { account.contains(Identity.fold($0)) }
    }
}
