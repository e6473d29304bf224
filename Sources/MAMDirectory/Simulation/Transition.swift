import MAMPolicy
import MAMSupport

/// The state of an account in an app, before or after the simulated changes. Policies are indices in a ``PolicyPool``.
struct AccountState: Hashable {
    let isKnown, isDisabled: Bool
    let refusal: Int?
    /// The policies that a check-in delivers.
    let delivered: [Int]
    /// The policies that restrict the account: those delivered, or the former ones where the check-in is refused.
    let inForce: [Int]

    /// `former` stays in force where nothing is delivered.
    init(_ delivery: Delivery?, former: [Int]) {
        isKnown = delivery != nil
        isDisabled = delivery?.isDisabled ?? false
        refusal = delivery?.refusal
        delivered = delivery?.policies ?? []
        inForce = delivery.map { $0.refusal == nil ? $0.policies : former } ?? former
    }

    /// Whether a check-in succeeds.
    var delivers: Bool { isKnown && refusal == nil }

    /// "before" and "after" of a change in the reply.
    func json(_ pool: PolicyPool) -> JSON {
        let code = refusal.map { StatusCode(rawValue: .init(truncatingIfNeeded: $0)) }
        return [
            "known": .bool(isKnown), "delivers": .bool(delivers),
            "code": code.map { .integer(Int64($0.rawValue)) } ?? .null, "name": .optional(code?.name),
            "disabled": .bool(isDisabled),
            "policies": .array(
                delivered.map { index in
                    let policy = pool.documents[index]
                    return ["id": .string(policy.id), "name": .string(policy.displayName)]
                }),
        ]
    }
}

/// An account's state before and after the changes, with the accounts that requests name. Accounts with equal transitions change
/// in the same way, so each transition is evaluated once.
struct Transition: Hashable {
    /// Another account, as this one sees it.
    enum Other: Hashable {
        case unmanaged, sameAccount
        case managed([Int], isSameTenant: Bool)
    }

    let before, after: AccountState
    let othersBefore, othersAfter: [Other]

    /// Whether nothing changes.
    var isUnchanged: Bool { before == after && othersBefore == othersAfter }
}
