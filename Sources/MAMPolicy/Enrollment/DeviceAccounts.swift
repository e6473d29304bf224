import MAMSupport

/// Whose the device is and who may use it, as a host states: the device's account and three keys of its app configuration.
/// Names are compared with ASCII letters folded.
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
        self.mdmAccountId = mdmAccountId
        upn = DeviceAccounts.name(configuration?[DeviceAccounts.nameKeys[0]])
        objectId = DeviceAccounts.name(configuration?[DeviceAccounts.nameKeys[1]])
        isAllowedOnly = DeviceAccounts.restriction(configuration) ?? true
    }

    /// The keys of the app configuration that name the device's account: by UPN, and by object id.
    public static let nameKeys = ["IntuneMAMUPN", "IntuneMAMOID"]

    /// A value that is no text still says that the device is somebody's: its JSON text names an account that nobody has.
    private static func name(_ value: JSON?) -> String? {
        switch value {
        case nil, .null: nil
        case .string(let name): name.isEmpty ? nil : name
        case .some(let other): other.text
        }
    }

    /// The keys of a configuration that are meant to be one of these, but for the case of letters.
    public static func misspeltKeys(_ configuration: JSON?) -> [(key: String, meant: String)] {
        (configuration?.object ?? []).compactMap { member in
            let folded = Identity.fold(member.key)
            let meant = (nameKeys + [restrictionKey]).first { Identity.fold($0) == folded }
            return meant.flatMap { $0.utf8.elementsEqual(member.key.utf8) ? nil : (member.key, $0) }
        }
    }

    /// The key of the app configuration that restricts who may be used.
    public static let restrictionKey = "IntuneMAMAllowedAccountsOnly"

    /// Whether a configuration restricts who may be used; nil where its value is not understood, which restricts as well.
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

    /// The UPN of the device's account, where the app configuration names it beside the same object id.
    public var mdmUPN: String? {
        guard let mdmAccountId, let objectId, Identity.fold(mdmAccountId) == Identity.fold(objectId) else { return nil }
        return upn
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
