import MAMState
import MAMSupport

/// The accounts that own a plain file that the host has open. The file may be given to another account meanwhile, so its owners
/// are looked up again after each change of the state. Former owners stay, so that the handle never allows more than each of them
/// does.
final class HandleAccounts: Sendable {
    private struct Contents {
        var accounts: [AccountRowID]
        /// The number of the snapshot at which they were found.
        var number: UInt64
    }
    private let contents: Locked<Contents>

    init(_ accounts: [Account], _ snapshot: Snapshot) {
        contents = Locked(Contents(accounts: accounts.map(\.row.id), number: snapshot.number))
    }

    /// The owners that were found so far.
    var known: [AccountRowID] { contents.withLock { $0.accounts } }

    /// Returns the accounts at a snapshot; `find` returns the present owners, or nil where one of them has left.
    func current(
        _ snapshot: Snapshot, find: () throws(MAMError) -> [Account]?
    ) throws(MAMError) -> [AccountRowID]? {
        let known = contents.withLock { $0.number == snapshot.number ? $0.accounts : nil }
        if let known { return known }
        guard let found = try find() else { return nil }
        return contents.withLock { contents in
            for account in found where !contents.accounts.contains(account.row.id) {
                contents.accounts.append(account.row.id)
            }
            contents.number = snapshot.number
            return contents.accounts
        }
    }
}
