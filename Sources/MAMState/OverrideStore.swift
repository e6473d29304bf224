import MAMSupport

/// The settings of the sign-in. Their overrides leave with the last enrolled account.
public enum SignInSetting: String, CaseIterable, Sendable {
    case authority = "ADALAuthority"
    case clientId = "ADALClientId"
    case redirectUri = "ADALRedirectUri"
}

/// Settings of this app that were changed at run time and persist.
public struct OverrideStore {
    let view: StateView

    /// Every setting with its value.
    public func all() throws(MAMError) -> [(name: String, value: JSON)] {
        let rows = try view.database.all(
            "SELECT name, value FROM overrides WHERE app = ? ORDER BY name", .text(view.state.app)
        ) {
            ($0.text(0) ?? "", $0.blob(1))
        }
        var result: [(name: String, value: JSON)] = []
        for (name, sealed) in rows { result.append((name, try seal.open(sealed, id: id(name), column: "value"))) }
        return result
    }

    /// Store a setting; nil deletes it.
    public func set(_ name: String, to value: JSON?) throws(MAMError) {
        if let value {
            let sealed = try seal.seal(value, id: id(name), column: "value")
            try view.database.run(
                "INSERT OR REPLACE INTO overrides VALUES (?, ?, ?)", .text(view.state.app), .text(name), .blob(sealed))
        } else {
            try view.database.run(
                "DELETE FROM overrides WHERE app = ? AND name = ?", .text(view.state.app), .text(name))
        }
    }

    private var seal: RowSeal { view.seal("overrides") }
    private func id(_ name: String) -> [UInt8] { Array(view.state.app.utf8) + [0] + Array(name.utf8) }
}
