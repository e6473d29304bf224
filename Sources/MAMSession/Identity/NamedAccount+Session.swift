import MAMPolicy
import MAMState

/// Where the two names of an account come from.
extension Account {
    var named: NamedAccount { NamedAccount(accountId: accountId, upn: record.upn) }
}

extension WipeEntry {
    /// The account has gone by the end of its wipe: its names are the ones that the journal keeps sealed.
    var named: NamedAccount { NamedAccount(accountId: accountId, upn: upn) }

    /// The same, with something to call it by where the entry does not know whose it is.
    func named(or name: String) -> NamedAccount {
        accountId.isEmpty ? NamedAccount(accountId: name, upn: nil) : named
    }
}

extension AccountTag {
    var named: NamedAccount { NamedAccount(accountId: accountId, upn: upn) }
}
