import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Accounts of other apps of the group.
extension Session {
    /// The one account that other apps of the group have under policy, by the registry of managed apps, and that this app may
    /// enroll without being told its name; nil where there is none, or several.
    func groupAccount(_ snapshot: Snapshot) throws(MAMError) -> AccountName? {
        let entries = try state.read { (view, _) throws(MAMError) in try view.apps.all() }
        var found: [AccountName] = []
        for (app, value) in entries where !app.utf8.elementsEqual(settings.managedApp.utf8) {
            guard let json = try? value.get(), let entry = ManagedApp(json: json) else { continue }
            for account in entry.accounts {
                let name = AccountName(accountId: account.accountId, upn: account.upn, tenantId: account.tenantId)
                guard mayEnroll(name, snapshot), !found.contains(where: { Session.isSame($0, name) }) else { continue }
                found.append(name)
            }
        }
        return found.count == 1 ? found.first : nil
    }

    /// Whether one more account may be enrolled.
    func hasRoomForAccount(_ snapshot: Snapshot) -> Bool {
        snapshot.settings.bool(SettingKey.multiManagedIdentities) || !snapshot.accounts.contains(where: \.isEnrolled)
    }

    /// Whether an account that the host does not name may be enrolled: not where this device is for others, nor where it is
    /// enrolled, or was and has left.
    private func mayEnroll(_ name: AccountName, _ snapshot: Snapshot) -> Bool {
        guard !name.folded.isEmpty, snapshot.device.accounts.refusal(of: name) == nil else { return false }
        let names = [name.accountId, name.upn].compactMap { $0.flatMap { try? Identity($0) } }
        return names.allSatisfy { one in
            switch snapshot.standing(of: one) {
            case .managed, .closed, .wiping, .retired: false
            case .known(let account): account?.isEnrolled != true
            case .unknownMember, .personal: true
            }
        }
    }

    private static func isSame(_ one: AccountName, _ other: AccountName) -> Bool {
        one.folded.contains(where: other.folded.contains)
    }
}
