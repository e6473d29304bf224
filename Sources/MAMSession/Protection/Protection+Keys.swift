import MAMProtection
import MAMState
import MAMSupport

extension Protection {
    /// Returns the data key of this app that a header names, and its account.
    func dataKey(
        named id: [UInt8], epoch: UInt32, in snapshot: Snapshot
    ) throws(MAMError) -> (key: DataKey, owner: Account)? {
        for account in snapshot.accounts {
            if let key = account.key, key.epoch == epoch, key.id == id { return (key, account) }
        }
        return try formerKey(named: id, epoch: epoch, in: snapshot)
    }

    /// Returns the key of a former epoch. A header that names no such key costs nothing.
    func formerKey(
        named id: [UInt8], epoch: UInt32, in snapshot: Snapshot
    ) throws(MAMError) -> (key: DataKey, owner: Account)? {
        for account in snapshot.accounts {
            guard let newest = account.key, epoch < newest.epoch else { continue }
            let key = try account.formerKeys.key(named: id, epoch: epoch) { () throws(MAMError) in
                try state.read { (view, _) throws(MAMError) in
                    try view.keys.key(named: id, epoch: epoch, of: account.row)
                }
            }
            if let key { return (key, account) }
        }
        return nil
    }
}

extension Snapshot {
    /// Returns the managed account that owns new data of a name; nil for no user and for a personal account. Fails for a name that
    /// is retired, or unknown and like one of the organisation; `refusalClause` says what is not done for it.
    func managedOwner(of argument: AccountArgument, refusalClause: String) throws(MAMError) -> Account? {
        guard case .named(let identity) = argument else { return nil }
        try checkKnown(argument)
        let status = status(of: identity)
        if let error = error(for: identity, status, refusalClause) { throw error }
        guard case .managed(let account) = status else { return nil }
        if let problem = account.problem { throw problem }
        guard account.key != nil else { throw Account.noKeyError }
        return account
    }

    /// Why there is no key for data of an account, and the message for the person where that is certain.
    func reasonWithoutKey(_ accountId: [UInt8], _ what: String) -> (String, MessageKey?) {
        guard let owner = try? Identity(String(decoding: accountId, as: UTF8.self)) else {
            return ("the \(what) is another app's or computer's", nil)
        }
        switch status(of: owner) {
        case .wiping, .retired: return ("the account was wiped in this app", .errorDataRemoved)
        default: return ("the account was wiped, or the \(what) is another app's or computer's", nil)
        }
    }

    /// Fails with the reason where the data of the account that a header names stays closed.
    func checkOpens(_ accountId: [UInt8]) throws(MAMError) {
        if let problem = find(folded: Identity.fold(accountId))?.problem { throw problem }
        guard let owner = try? Identity(String(decoding: accountId, as: UTF8.self)) else { return }
        if let problem = problem(of: owner) { throw problem }
    }
}
