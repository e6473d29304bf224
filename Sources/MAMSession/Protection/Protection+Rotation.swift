import MAMProtection
import MAMState
import MAMSupport

extension Protection {
    /// `mam_rotate_keys`: when this returns every process of the app seals under the new key. Two at once make two epochs.
    public func rotateKeys(of argument: AccountArgument) throws(MAMError) {
        let identity = try argument.named()
        let snapshot = try current()
        try snapshot.checkKnown(argument)
        let found = snapshot.find(identity)
        guard let account = found, account.policy != nil else {
            if let problem = snapshot.problem(of: identity) { throw problem }
            throw found?.isEnrolled ?? false ? Protection.noKeysError : snapshot.notEnrolled(identity, "it has no keys")
        }
        if let problem = account.problem { throw problem }
        _ = try beginEpoch(of: account.row.id)
    }

    /// Makes a new data key of an account; returns its epoch.
    func beginEpoch(of account: AccountRowID) throws(MAMError) -> Int64 {
        let epoch = try state.commitForAll { (view) throws(MAMError) -> Int64 in
            // As it is now: another process may have wiped it meanwhile.
            guard let row = try view.accounts.row(account) else { throw Protection.noKeysError }
            let epoch = try view.keys.makeNext(for: row)
            try view.accounts.change(row) { $0.dataEpoch = epoch }
            return epoch
        }
        try reload()
        log.write(.info, "account \(account.hex) has a new data key, epoch \(epoch)")
        return epoch
    }

    private static let noKeysError = MAMError(
        .notEnrolled, "the account is not managed in this app, so it has no keys; enroll it first")
}
