import MAMAuthority
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport
import Synchronization

/// Errors that close an account, besides those that reading the state reports.
extension Snapshot {
    static func denied(_ code: StatusCode) -> MAMError {
        MAMError(.denied, code.guidance, [code.originalCode.detail], for: code.messageKey)
    }
    static let unverifiedJournal = MAMError(
        .tampered,
        "a row of table journal in the state does not verify: it was changed outside libmam; nothing is wiped on its word",
        [("table", "journal")])
    static let restoredAccount = MAMError(
        .tampered,
        "a row of table accounts says that an account is enrolled which was wiped or unenrolled: it was put back from outside libmam; wipe the account, or enroll it anew",
        [("table", "accounts")])
    static func authorityGivenUp(_ record: AccountRecord) -> MAMError {
        let id = AuthorityIdentity(json: record.authority)?.id ?? ""
        return MAMError(
            .denied,
            "the account belongs to the authority \(id), which was given up here (mam_forget_authority): what it has stays closed until"
                + " it is enrolled with that authority again", [("authority", .string(id))])
    }
    static let keysAreGone = MAMError(
        .tampered,
        "the account's keys are missing in the state: they were removed outside libmam; its data cannot be read any more",
        [("table", "account_keys")])
    static let policiesAreGone = MAMError(
        .tampered,
        "the account's policies are missing in the state: they were removed outside libmam; a check-in brings them back",
        [("table", "policies")])
}
