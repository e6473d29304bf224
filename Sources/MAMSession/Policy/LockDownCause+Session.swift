import MAMPolicy
import MAMSupport

/// Causes of a lock-down that no launch check found.
extension LockDownCause {
    static let wiping = LockDownCause(.wipe, "the account is being wiped")
    static let noPolicyYet = LockDownCause(.account, "its policy has not come yet; check in")
    static let severalAccounts = LockDownCause(
        nil, "several accounts are shown together and one is managed; show one alone")
    static let leftWhileHandleHeld = LockDownCause(
        nil,
        "the account was wiped or unenrolled while this policy handle was held; release the handle and take another",
        for: .errorAccountRemoved)

    static let accountLeft = LockDownCause(
        nil,
        "the account was wiped or unenrolled in this app; register it again with mam_register_and_enroll or"
            + " mam_login_and_enroll",
        for: .errorAccountRemoved)

    /// The name looks like one of the organisation, and nobody made it known; `hint` is a clause with the name that is probably meant.
    static func unregisteredWorkName(_ hint: String) -> LockDownCause {
        LockDownCause(
            nil,
            "the account is not registered with this app, but looks like a name of the organisation\(hint);"
                + " mam_register_account makes it known",
            for: .errorUnknownName)
    }

    /// The account's data cannot be opened.
    static func closed(_ problem: MAMError) -> LockDownCause {
        LockDownCause(.account, "the account's data stays closed: \(problem.message)")
    }
}

extension AccountPolicy {
    /// A policy that refuses everything, of an account that no rule has to identify.
    static func lockedDown(_ cause: LockDownCause) -> AccountPolicy {
        .managed(accountId: "", tenantId: nil, policy: .lockDown(cause))
    }
}
