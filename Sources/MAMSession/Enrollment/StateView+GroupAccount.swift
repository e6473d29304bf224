import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

extension StateView {
    /// The only account that other apps of the group have under policy and that this app may enroll, by the registry of managed
    /// apps; nil if there are none or several.
    func groupAccount(for snapshot: Snapshot) throws(MAMError) -> AccountName? {
        var found: [AccountName] = []
        for (app, value) in try apps.all() where !app.utf8.elementsEqual(snapshot.opened.managedApp.utf8) {
            guard let json = try? value.get(), let entry = ManagedApp(json: json) else { continue }
            for account in entry.accounts {
                let name = AccountName(accountId: account.accountId, upn: account.upn, tenantId: account.tenantId)
                guard snapshot.mayEnroll(name), !found.contains(where: { name.isSame(as: $0) }) else { continue }
                found.append(name)
            }
        }
        return found.count == 1 ? found.first : nil
    }
}
