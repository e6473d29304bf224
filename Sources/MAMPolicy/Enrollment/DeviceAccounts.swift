import MAMSupport

/// The device's account and the accounts that may be used on it, as the host states them: the MDM account and three keys of the
/// app configuration. Names are compared with ASCII letters folded.
public struct DeviceAccounts: Sendable, Equatable {
    /// The object id of the account that the device is enrolled with in MDM.
    public let mdmAccountId: String?
    /// IntuneMAMUPN.
    public let upn: String?
    /// IntuneMAMOID.
    public let objectId: String?
    /// IntuneMAMAllowedAccountsOnly.
    public let isAllowedOnly: Bool

    /// Creates the device's accounts; without arguments there are none.
    public init(mdmAccountId: String? = nil, configuration: JSON? = nil) {
        self.mdmAccountId = mdmAccountId
        upn = DeviceAccounts.name(configuration?[DeviceAccounts.nameKeys[0]])
        objectId = DeviceAccounts.name(configuration?[DeviceAccounts.nameKeys[1]])
        isAllowedOnly = DeviceAccounts.restriction(configuration) ?? true
    }

    /// The keys of the app configuration that name the device's account: its UPN and its object id.
    public static let nameKeys = ["IntuneMAMUPN", "IntuneMAMOID"]

    /// A value that is not text still restricts the device: its JSON text names an account that does not exist.
    private static func name(_ value: JSON?) -> String? {
        switch value {
        case nil, .null: nil
        case .string(let name): name.isEmpty ? nil : name
        case .some(let other): other.text
        }
    }

    /// Returns the keys of a configuration that differ from a known key only in case.
    public static func misspeltKeys(_ configuration: JSON?) -> [(key: String, meant: String)] {
        (configuration?.object ?? []).compactMap { member in
            let folded = Identity.fold(member.key)
            let meant = (nameKeys + [restrictionKey]).first { Identity.fold($0) == folded }
            return meant.flatMap { $0.utf8.elementsEqual(member.key.utf8) ? nil : (member.key, $0) }
        }
    }

    /// The key of the app configuration that restricts the accounts.
    public static let restrictionKey = "IntuneMAMAllowedAccountsOnly"

    /// Returns whether a configuration restricts the accounts; nil if its value is not understood, which restricts as well.
    public static func restriction(_ configuration: JSON?) -> Bool? {
        switch configuration?[restrictionKey] {
        case nil, .null: return false
        case .bool(let isOn): return isOn
        case .string(let word):
            let folded = Identity.fold(word)
            if ["enabled", "true"].contains(where: { folded == Array($0.utf8) }) { return true }
            return ["disabled", "false", ""].contains(where: { folded == Array($0.utf8) }) ? false : nil
        case .integer, .decimal, .array, .object: return nil
        }
    }

    /// Parses the stored form.
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

    /// The UPN of the device's account, if the app configuration contains it with the same object id.
    public var mdmUPN: String? {
        guard let mdmAccountId, let objectId, Identity.fold(mdmAccountId) == Identity.fold(objectId) else { return nil }
        return upn
    }

    /// The accounts that may be used; nil if there is no restriction.
    public var allowed: [String]? { isAllowedOnly ? configured : nil }

    /// Returns the code for an account that may not be used here; nil if it may.
    public func refusalCode(accountId: String?, upn: String?) -> StatusCode? {
        let given = [accountId, upn].compactMap { $0.map { Identity.fold($0) } }
        // The device's account is identified only by its object id, not by a UPN.
        if let mdmAccountId, accountId != nil, !DeviceAccounts.names([mdmAccountId], oneOf: given) {
            return .mdmEnrolledDifferentUser
        }
        if !configured.isEmpty, !DeviceAccounts.names(configured, oneOf: given) {
            return isAllowedOnly ? .notDeviceAccount : .notEmmAccount
        }
        return isAllowedOnly && configured.isEmpty ? .notDeviceAccount : nil
    }

    /// Returns whether an account, by its folded names, is the device's account, which alone receives the device's app
    /// configuration.
    public func isManaged(for account: [[UInt8]]) -> Bool {
        DeviceAccounts.names(mdmAccountId.map { [$0] } ?? configured, oneOf: account)
    }

    /// The names in the app configuration.
    private var configured: [String] { [upn, objectId].compactMap { $0 } }

    private static func names(_ names: [String], oneOf account: [[UInt8]]) -> Bool {
        names.contains { account.contains(Identity.fold($0)) }
    }
}
