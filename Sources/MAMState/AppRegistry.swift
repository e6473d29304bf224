import MAMSupport

/// Which apps of the group are managed, each by its own word: a fact that an app keeps of itself and every app reads. Its
/// row is bound to the app's id, so that one app's cannot be given to another.
public struct AppRegistry {
    let view: StateView
    private static let entry = "managedApp"
    /// What is looked at: a state that somebody has filled up costs no more than this.
    private static let mostApps = 1000, longestEntry = 64 << 10

    /// What an app says of itself, or why that cannot be believed.
    public typealias Entry = (app: String, value: Result<JSON, MAMError>)

    /// The entry of each app, by id.
    public func all() throws(MAMError) -> [Entry] {
        let rows = try view.database.all(
            """
            SELECT app, CASE WHEN length(value) <= \(AppRegistry.longestEntry) THEN value ELSE x'' END FROM facts
            WHERE name = ? ORDER BY app LIMIT \(AppRegistry.mostApps)
            """, .text(AppRegistry.entry)
        ) { ($0.text(0) ?? "", $0.blob(1)) }
        return rows.map { app, sealed in
            do throws(MAMError) {
                return (app, .success(try FactStore.open(sealed, of: app, AppRegistry.entry, view)))
            } catch { return (app, .failure(error)) }
        }
    }

    /// This app's; nil where there is none, or none that verifies: it is written anew.
    public func own() -> JSON? { (try? view.facts.value(AppRegistry.entry)) ?? nil }

    /// Enter this app, in place of what was there.
    public func enter(_ value: JSON) throws(MAMError) { try view.facts.set(AppRegistry.entry, to: value) }

    /// This app is managed no more.
    public func leave() throws(MAMError) { try view.facts.remove(AppRegistry.entry) }

    /// The apps that the authority has policies in, for an account of this app.
    public func listed(for account: AccountRowID) -> JSON? {
        (try? view.facts.value(AppRegistry.list(account))) ?? nil
    }

    /// Keep them; nil forgets them.
    public func list(_ apps: JSON?, for account: AccountRowID) throws(MAMError) {
        if let apps {
            try view.facts.set(AppRegistry.list(account), to: apps)
        } else {
            try view.facts.remove(AppRegistry.list(account))
        }
    }

    private static func list(_ account: AccountRowID) -> String { "managedApps/\(account.hex)" }
}
