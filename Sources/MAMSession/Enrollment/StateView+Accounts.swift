import MAMState
import MAMSupport

extension StateView {
    /// The accounts that open, and for which no wipe is in progress.
    func liveAccounts() throws(MAMError) -> [AccountRow] {
        let wiping = try journal.all().map(\.account)
        return try accounts.all().compactMap { entry in
            if case .open(let row) = entry, !wiping.contains(row.id) { row } else { nil }
        }
    }
}
