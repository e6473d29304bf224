import MAMState
import MAMSupport

extension PINStore {
    /// Record that an app wiped the account for its used-up attempts: enrolled again, it is not wiped for the same ones.
    func markWiped(_ accountId: String, in app: String) throws(MAMError) {
        let subject = try subject(of: Identity.fold(accountId))
        guard var record = try load(subject) else { return }
        record.wipedIn = record.wipedIn.filter { $0 != app } + [app]
        try store(record, subject)
    }
}
