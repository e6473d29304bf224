import MAMPolicy
import MAMSupport

/// Why a session locks an account down, where no launch found it closed.
extension LockDownCause {
    static let isWiping = LockDownCause(.wipe, "the account is being wiped")
    static let hasNoPolicyYet = LockDownCause(.account, "its policy has not come yet; check in")
    static let areSeveral = LockDownCause(
        nil, "several accounts are shown together and one is managed; show one alone")
    static let hasLeft = LockDownCause(
        nil,
        "the account was wiped or unenrolled while this policy handle was held; release the handle and take another")

    /// What the account owns does not open.
    static func closed(_ problem: MAMError) -> LockDownCause {
        LockDownCause(.account, "the account's data stays closed: \(problem.message)")
    }
}

extension Party {
    /// A side that every rule refuses, of no account that a rule has to tell from others.
    static func lockedDown(_ cause: LockDownCause) -> Party {
        .managed(accountId: "", tenantId: nil, policy: .lockDown(cause))
    }
}
