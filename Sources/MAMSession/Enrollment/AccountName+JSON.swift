import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

extension AccountName {
    /// Read {"accountId","upn","tenantId"} of mam.h; an id or a UPN is required. An empty name fails with code 207 of the Intune
    /// App SDK.
    init(json: JSON, _ argument: String) throws(MAMError) {
        var reader = try ObjectReader(json, argument)
        self.init()
        accountId = try AccountName.name(&reader, "accountId", argument)
        upn = try AccountName.name(&reader, "upn", argument)
        if let tenant = try reader.string("tenantId") {
            tenantId = try Identity(tenant, argument: "\(argument).tenantId").text
        }
        try reader.end()
        guard accountId != nil || self.upn != nil else {
            throw .argument(
                "\(argument)_json", "names no account: accountId or upn is required", originalCode: .nilAccount)
        }
    }

    private static func name(_ reader: inout ObjectReader, _ key: String, _ argument: String) throws(MAMError)
        -> String?
    {
        guard let text = try reader.string(key) else { return nil }
        guard !text.isEmpty else {
            throw .argument(
                "\(argument).\(key)", "is empty; name an account, or leave the key out", originalCode: .nilAccount)
        }
        return try Identity(account: text, argument: "\(argument).\(key)").text
    }

    /// The names of an account.
    init(_ record: AccountRecord) {
        self.init(accountId: record.accountId, upn: record.upn, tenantId: record.tenantId)
    }

    /// The names of an enrolled account, as the authority knows them.
    init(_ enrollment: Enrollment) {
        self.init(accountId: enrollment.accountId, upn: enrollment.upn, tenantId: enrollment.tenantId)
    }

    /// Whether both may name the same account: they share a name.
    func isSame(as other: AccountName) -> Bool { folded.contains(where: other.folded.contains) }

    /// Whether any of these names equals a name of the record.
    func matches(_ record: AccountRecord) -> Bool {
        let known = AccountName(record).folded
        return folded.contains(where: known.contains)
    }

    /// Whether a record belongs to the person who signed in. If both have an account id, the id decides.
    func isSamePerson(as record: AccountRecord) -> Bool {
        if let accountId, let known = record.accountId { return Identity.fold(accountId) == Identity.fold(known) }
        return matches(record)
    }

    /// The folded names, for comparison.
    var folded: [[UInt8]] { [accountId, upn].compactMap { $0.map { Identity.fold($0) } } }
}

extension DeviceAccounts {
    /// The account that the device names; nil if it names none.
    var account: AccountName? {
        let name = AccountName(accountId: mdmAccountId ?? objectId, upn: upn)
        return name.folded.isEmpty ? nil : name
    }

    /// Returns the code for an enrolled account that may not be used on this device; nil if it may. The device may name the account by a former UPN.
    func refusalCode(of record: AccountRecord) -> StatusCode? {
        guard let code = refusalCode(of: AccountName(record)) else { return nil }
        let isAllowed = record.formerNames.contains { refusalCode(accountId: record.accountId, upn: $0) == nil }
        return isAllowed ? nil : code
    }

    /// Returns the code for an account that may not be used on this device; nil if it may.
    func refusalCode(of name: AccountName) -> StatusCode? { refusalCode(accountId: name.accountId, upn: name.upn) }
}
