import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport
import MAMValues

/// Wipes that were requested while an account was not enrolled: its data is here, and an enrollment would open it again.
extension WipeMarks {
    /// The latest wipes that the state knows of for accounts that were enrolled.
    init(of rows: [AccountRow]) {
        self.init()
        for row in rows {
            let identity = AuthorityIdentity(json: row.record.authority)
            // An authority that cannot be read any more requests no wipe.
            guard identity != nil || row.record.authority.isNull else { continue }
            add(row.record.wipeMark, of: identity)
        }
    }
}

extension StateView {
    /// The accounts with data that an enrollment under these names may open again, also those whose authority was forgotten.
    func holders(of name: AccountName) throws(MAMError) -> [AccountRow] {
        try liveAccounts().filter { $0.record.wasEnrolled && name.isSamePerson(as: $0.record) }
    }
}

extension AccountRecord {
    /// Whether the account was enrolled, so that there may be data of it.
    fileprivate var wasEnrolled: Bool { registration != nil || wipeMark > 0 || !authority.isNull }
}
