import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

extension AccountName {
    /// {"accountId","upn","tenantId"} of mam.h, where an id or a UPN is needed. An empty name names no account: code 207 of
    /// the original.
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
            throw .argument("\(argument)_json", "names no account: accountId or upn is required", originalCode: 207)
        }
    }

    private static func name(_ reader: inout ObjectReader, _ key: String, _ argument: String) throws(MAMError)
        -> String?
    {
        guard let text = try reader.string(key) else { return nil }
        guard !text.isEmpty else {
            throw .argument("\(argument).\(key)", "is empty; name an account, or leave the key out", originalCode: 207)
        }
        return try Identity(text, argument: "\(argument).\(key)").text
    }

    /// The names of an account.
    init(_ record: AccountRecord) {
        self.init(accountId: record.accountId, upn: record.upn, tenantId: record.tenantId)
    }

    /// The names of who was enrolled, as the authority knows them.
    init(_ enrollment: Enrollment) {
        self.init(accountId: enrollment.accountId, upn: enrollment.upn, tenantId: enrollment.tenantId)
    }

    /// Its names in the form that is compared.
    var folded: [[UInt8]] { [accountId, upn].compactMap { $0.map { Identity.fold($0) } } }
}

extension DeviceAccounts {
    /// The device's account; nil where none is named.
    var account: AccountName? {
        let name = AccountName(accountId: mdmAccountId ?? objectId, upn: upn)
        return name.folded.isEmpty ? nil : name
    }

    /// Why an enrolled account may not be used here; nil where it may. The device's facts may name it by a former UPN.
    func refusal(of record: AccountRecord) -> StatusCode? {
        guard let refusal = refusal(of: AccountName(record)) else { return nil }
        let isAllowed = record.formerNames.contains { self.refusal(accountId: record.accountId, upn: $0) == nil }
        return isAllowed ? nil : refusal
    }

    /// Why an account may not be used here; nil where it may.
    func refusal(of name: AccountName) -> StatusCode? { refusal(accountId: name.accountId, upn: name.upn) }
}
