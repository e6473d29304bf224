import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

/// One account of this app as a snapshot holds it.
struct Account: Sendable {
    let row: AccountRow
    let state: EnrollmentState
    /// Its names in the form that is compared.
    let names: [[UInt8]]
    /// Its policy; nil while it is not managed.
    let policy: EffectivePolicy?
    /// Its data keys, the newest last.
    let keys: [DataKey]

    var record: AccountRecord { row.record }
    var isEnrolled: Bool { state == .enrolled }
    /// The object id, or the UPN while that is not known.
    var accountId: String { record.accountId ?? record.upn ?? "" }

    /// The side of a decision that this account is on.
    var party: Party {
        guard let policy else { return .unmanaged }
        return .managed(accountId: accountId, tenantId: record.tenantId, policy: policy)
    }

    /// As `mam_registered_accounts` shows it.
    var json: JSON {
        [
            "accountId": .optional(record.accountId), "upn": .optional(record.upn),
            "tenantId": .optional(record.tenantId),
            "state": .string(state.rawValue), "managed": .bool(policy != nil),
            "lastCheckIn": .optional(record.lastCheckIn?.rfc3339),
            "nextCheckIn": .optional(record.nextCheckIn?.rfc3339),
            "lastCode": record.lastCode.map(JSON.integer) ?? .null,
        ]
    }
}
