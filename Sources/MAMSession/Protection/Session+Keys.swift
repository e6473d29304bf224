import MAMProtection
import MAMState
import MAMSupport

extension Session {
    /// `mam_rotate_keys`: when this returns every process of the app seals under the new key. Two at once make two epochs.
    public func rotateKeys(of argument: AccountArgument) throws(MAMError) {
        let identity = try named(argument)
        let snapshot = try current()
        try checkKnown(argument, snapshot)
        guard let account = snapshot.find(identity), account.policy != nil else {
            if let problem = snapshot.problem(of: identity) { throw problem }
            throw Session.hasNoKeys
        }
        if let problem = account.problem { throw problem }
        _ = try beginEpoch(of: account.row.id)
    }

    /// A new data key of an account: its epoch.
    func beginEpoch(of account: AccountRowID) throws(MAMError) -> Int64 {
        let epoch = try state.publish { (view) throws(MAMError) -> Int64 in
            // As it is now: another process may have wiped it meanwhile.
            guard let row = try view.accounts.row(account) else { throw Session.hasNoKeys }
            let epoch = try view.keys.makeNext(for: row)
            try view.accounts.change(row) { $0.dataEpoch = epoch }
            return epoch
        }
        try reload()
        log.write(.info, "account \(account.hex) has a new data key, epoch \(epoch)")
        return epoch
    }

    /// The data key of this app that something sealed names, and whose it is.
    func dataKey(
        named id: [UInt8], epoch: UInt32, in snapshot: Snapshot
    ) throws(MAMError) -> (key: DataKey, owner: Account)? {
        for account in snapshot.accounts {
            if let key = account.key, key.epoch == epoch, key.id == id { return (key, account) }
        }
        return try formerKey(named: id, epoch: epoch, in: snapshot)
    }

    /// The same among former epochs. What names none of an account costs nothing.
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

    /// Whether the account that something sealed names is one whose data stays closed: why, then.
    func checkOpens(_ accountId: [UInt8], _ snapshot: Snapshot) throws(MAMError) {
        if let problem = snapshot.find(folded: Identity.fold(accountId))?.problem { throw problem }
        guard let owner = try? Identity(String(decoding: accountId, as: UTF8.self)) else { return }
        if let problem = snapshot.problem(of: owner) { throw problem }
    }

    private static let hasNoKeys = MAMError(
        .notEnrolled, "the account is not managed in this app, so it has no keys; enroll it first")
}
