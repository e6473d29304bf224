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

    /// The subject of the questions that a request for the account needs.
    var subject: String { row?.id.hex ?? named.accountId ?? "" }

    /// The account, as questions name it.
    var named: NamedAccount {
        NamedAccount(accountId: name.accountId ?? name.upn ?? "", upn: name.upn)
    }

    var row: AccountRow? {
        if case .known(let account) = self { account.row } else { nil }
    }

    /// The cause of an enrollment that the host does not ask for now: it may have asked for this account before.
    var causeOfRepetition: EnrollmentCause { row?.record.isAskedFor == true ? .retry : .automatic }
}
