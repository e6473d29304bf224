import MAMPolicy
import MAMSupport

/// The managed apps of the group. Each app stores an entry of its own, which all apps read. The app id is bound to the row, so that
/// an entry cannot be given to another app.
public struct ManagedAppStore {
    let view: StateView
    /// Limits for a state that was filled with foreign rows.
    private static let maximumApps = 1000, maximumEntryLength = 64 << 10

    /// The entry of an app, or the error of a row that does not verify.
    public typealias Entry = (app: String, value: Result<JSON, MAMError>)

    /// The entries of all apps, ordered by id.
    public func all() throws(MAMError) -> [Entry] {
        let rows = try view.database.all(
            """
            SELECT app, CASE WHEN length(value) <= \(ManagedAppStore.maximumEntryLength) THEN value ELSE x'' END FROM facts
            WHERE name = ? ORDER BY app LIMIT \(ManagedAppStore.maximumApps)
            """, .text(KeyValueStore.Key.managedApp.name)
        ) { ($0.text(0) ?? "", $0.blob(1)) }
        return rows.map { app, sealed in
            do throws(MAMError) {
                return (app, .success(try KeyValueStore.open(sealed, of: app, .managedApp, view)))
            } catch { return (app, .failure(error)) }
        }
    }

    /// The entry of this app; nil where it is missing or does not verify, and is then replaced.
    public func own() -> JSON? { (try? view.values.value(.managedApp)) ?? nil }

    /// Store the entry of this app.
    public func enter(_ value: JSON) throws(MAMError) { try view.values.set(.managedApp, to: value) }

    /// Remove an account without a policy, and this app's entry if it has no other account.
    public func leave(_ account: AccountRowID) throws(MAMError) {
        guard let own = own() else { return }
        if let rest = ManagedApp(json: own)?.without(account: account.hex) {
            if rest.json != own { try enter(rest.json) }
        } else {
            try view.values.remove(.managedApp)
        }
        try list(nil, for: account)
    }

    /// The apps for which the authority has policies of an account of this app.
    public func listed(for account: AccountRowID) -> JSON? {
        (try? view.values.value(.managedApps(account))) ?? nil
    }

    /// Store those apps; nil deletes them.
    public func list(_ apps: JSON?, for account: AccountRowID) throws(MAMError) {
        if let apps {
            try view.values.set(.managedApps(account), to: apps)
        } else {
            try view.values.remove(.managedApps(account))
        }
    }
}
