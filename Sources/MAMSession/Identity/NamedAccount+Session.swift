import MAMPolicy
import MAMState

extension Account {
    var named: NamedAccount { NamedAccount(accountId: accountId, upn: record.upn) }
}

extension WipeEntry {
    /// The names that the journal keeps: at the end of its wipe the account is gone.
    var named: NamedAccount { NamedAccount(accountId: accountId, upn: upn) }

    /// The same, or another name where the entry has none.
    func named(or name: String) -> NamedAccount {
        accountId.isEmpty ? NamedAccount(accountId: name, upn: nil) : named
    }
}

extension AccountTag {
    var named: NamedAccount { NamedAccount(accountId: accountId, upn: upn) }
}
