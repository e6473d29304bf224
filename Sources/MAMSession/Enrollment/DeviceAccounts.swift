import MAMAuthority
import MAMPolicy
import MAMSupport

/// Whose the device is and who may use it, as the host said at an open: the device's account and three keys of its app
/// configuration.
struct DeviceAccounts: Sendable, Equatable {
    var mdmAccountId: String?
    var upn: String?
    var objectId: String?
    var isAllowedOnly = false

    init() {}

    /// What the host says of the device.
    init(_ device: OpenSettings.HostDevice) {
        func text(_ key: String) -> String? {
            device.managedAppConfig?[key]?.string.flatMap { $0.isEmpty ? nil : $0 }
        }
        mdmAccountId = device.mdmAccountId
        upn = text("IntuneMAMUPN")
        objectId = text("IntuneMAMOID")
        isAllowedOnly = Identity.fold(text("IntuneMAMAllowedAccountsOnly") ?? "") == Array("enabled".utf8)
    }

    /// As the state keeps it.
    init(json: JSON) {
        mdmAccountId = json["mdmAccountId"]?.string
        upn = json["upn"]?.string
        objectId = json["objectId"]?.string
        isAllowedOnly = json["isAllowedOnly"]?.bool ?? false
    }

    var json: JSON {
        [
            "mdmAccountId": .optional(mdmAccountId), "upn": .optional(upn), "objectId": .optional(objectId),
            "isAllowedOnly": .bool(isAllowedOnly),
        ]
    }

    /// The names in the app configuration.
    var configured: [String] { [upn, objectId].compactMap { $0 } }

    /// Who may be used; nil where anybody may.
    var allowed: [String]? { isAllowedOnly ? configured : nil }

    /// The device's account; nil where none is named.
    var account: AccountName? {
        let name = AccountName(accountId: mdmAccountId ?? objectId, upn: upn)
        return name.folded.isEmpty ? nil : name
    }

    /// Why an account may not be used here; nil where it may.
    func refusal(of name: AccountName) -> StatusCode? {
        let given = name.folded
        func isOther(_ names: [String]) -> Bool {
            !names.isEmpty && !names.contains { given.contains(Identity.fold($0)) }
        }
        // A device's account is told by its object id alone: a UPN says nothing of it.
        if let mdmAccountId, name.accountId != nil, isOther([mdmAccountId]) { return .mdmEnrolledDifferentUser }
        if isOther(configured) { return isAllowedOnly ? .notDeviceAccount : .notEmmAccount }
        return isAllowedOnly && configured.isEmpty ? .notDeviceAccount : nil
    }
}
