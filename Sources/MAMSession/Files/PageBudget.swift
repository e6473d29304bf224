import MAMState
import MAMSupport

/// How many pages of databases are counted at once, and how many one key seals.
enum PageBudget {
    static let block: Int64 = 1 << 16
    static let limit: Int64 = 1 << 31
}

extension Session {
    /// Count pages that a file system is going to seal: how many. Where the newest key has sealed all it may, the next one begins.
    func reservePages(_ system: DatabaseSystem) throws(MAMError) -> Int64 {
        let snapshot = lock.held { self.snapshot }
        guard let account = system.owner.flatMap({ snapshot.find($0) }), let key = account.key else {
            throw MAMError(.notEnrolled, "the account has no key")
        }
        let reserve = { (epoch: Int64) throws(MAMError) -> Bool in
            try self.state.write { (view) throws(MAMError) in
                try view.pages.reserve(PageBudget.block, atMost: PageBudget.limit, of: account.row.id, epoch: epoch)
            }
        }
        if try reserve(Int64(key.epoch)) { return PageBudget.block }
        let next = try beginEpoch(of: account.row.id)
        guard try reserve(next) else { throw MAMError(.noSpace, "the account's key has sealed all it may") }
        return PageBudget.block
    }
}
