import MAMAuthority
import MAMState

/// Whom an enrollment is for.
enum Candidate {
    /// Registered: a failure is noted and tried again.
    case known(Account)
    /// Not registered: a failure leaves nothing.
    case named(AccountName)

    var name: AccountName {
        switch self {
        case .known(let account): AccountName(account.record)
        case .named(let name): name
        }
    }

    var row: AccountRow? {
        if case .known(let account) = self { account.row } else { nil }
    }
}
