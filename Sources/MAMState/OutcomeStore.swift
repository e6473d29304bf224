import MAMSupport

/// Outcomes: events that are kept until a process of the app has read them.
public struct OutcomeStore {
    let view: StateView

    /// One outcome.
    public struct Outcome: Sendable {
        /// The id for ``remove(_:)``.
        public let id: [UInt8]
        /// The event as in mam.h.
        public let event: JSON
    }

    /// Add an outcome for an app.
    public func add(_ event: JSON, app: String) throws(MAMError) {
        let id = try randomBytes(16)
        try view.database.run(
            "INSERT INTO outcomes (id, app, record) VALUES (?, ?, ?)", .blob(id), .text(app),
            .blob(try seal.seal(event, id: id, column: "record")))
    }

    /// The ids of all outcomes, the oldest first.
    public func ids() throws(MAMError) -> [[UInt8]] {
        try view.database.all("SELECT id FROM outcomes WHERE app = ? ORDER BY number", .text(view.state.app)) {
            $0.blob(0)
        }
    }

    /// The oldest outcome not in `except`, and the ids of rows before it that do not verify.
    public func oldest(except: Set<[UInt8]>) throws(MAMError) -> (outcome: Outcome?, broken: [[UInt8]]) {
        let rows = try view.database.all(
            "SELECT id, record FROM outcomes WHERE app = ? ORDER BY number", .text(view.state.app)
        ) { ($0.blob(0), $0.blob(1)) }
        var broken: [[UInt8]] = []
        for (id, sealed) in rows where !except.contains(id) {
            if let event = try? seal.open(sealed, id: id, column: "record") {
                return (Outcome(id: id, event: event), broken)
            }
            broken.append(id)
        }
        return (nil, broken)
    }

    /// Remove an outcome that was read.
    public func remove(_ id: [UInt8]) throws(MAMError) {
        try view.database.run("DELETE FROM outcomes WHERE id = ?", .blob(id))
    }

    private var seal: RowSeal { view.seal("outcomes") }
}
