import MAMSupport

/// Events that a host must not miss: kept until a process of the app has read them.
public struct OutcomeStore {
    let view: StateView

    /// One outcome.
    public struct Outcome: Sendable {
        /// To remove it with.
        public let id: [UInt8]
        /// The event as mam.h shows it.
        public let event: JSON
    }

    /// Keep an event for an app.
    public func add(_ event: JSON, app: String) throws(MAMError) {
        let id = try randomBytes(16)
        try view.database.run(
            "INSERT INTO outcomes (id, app, record) VALUES (?, ?, ?)", .blob(id), .text(app),
            .blob(try seal.seal(event, id: id, column: "record")))
    }

    /// Whether any waits.
    public var isEmpty: Bool {
        get throws(MAMError) {
            try view.database.first("SELECT 1 FROM outcomes WHERE app = ? LIMIT 1", .text(view.state.app)) { _ in true }
                == nil
        }
    }

    /// The oldest one that is not among `except`. One that does not verify is dropped: it can be told to nobody.
    public func oldest(except: Set<[UInt8]>) throws(MAMError) -> Outcome? {
        let rows = try view.database.all(
            "SELECT id, record FROM outcomes WHERE app = ? ORDER BY number", .text(view.state.app)
        ) {
            ($0.blob(0), $0.blob(1))
        }
        for (id, sealed) in rows where !except.contains(id) {
            if let event = try? seal.open(sealed, id: id, column: "record") { return Outcome(id: id, event: event) }
        }
        return nil
    }

    /// It was read.
    public func remove(_ id: [UInt8]) throws(MAMError) {
        try view.database.run("DELETE FROM outcomes WHERE id = ?", .blob(id))
    }

    private var seal: RowSeal { view.seal("outcomes") }
}
