import MAMAuthority
import MAMPolicy
import MAMState

/// The account to enroll.
enum Candidate {
    /// A registered account: a failure is recorded and retried.
    case known(Account)
    /// An unregistered account: a failure leaves no record.
    case named(AccountName)

    var name: AccountName {
        switch self {
        case .known(let account): AccountName(account.record)
        case .named(let name): name
        }
    }

    /// The latest wipe that the state knows of, where it may have data of the account; nil where it never was enrolled.
    var wipeMark: Int64? { row.flatMap { $0.record.wipeMark > 0 ? $0.record.wipeMark : nil } }

    /// The subject of the questions that a request for the account needs.
    var subject: String { row?.id.hex ?? named.accountId ?? "" }

    /// The account, as questions name it.
    var named: NamedAccount {
        NamedAccount(accountId: name.accountId ?? name.upn ?? "", upn: name.upn)
    }

    var row: AccountRow? {
        if case .known(let account) = self { account.row } else { nil }
    }
}
