import MAMDirectory
import MAMPostgreSQL
import MAMSupport

/// Check-ins whose time and facts are not stored yet. They are stored together, about once a second: a crash loses that much of
/// "last seen", and nothing else.
struct Sightings: Sendable {
    private struct Sighting: Sendable {
        let registration: Registration
        let app: AppFacts
        let host: HostFacts
        let time: Instant
    }

    private static let capacity = 16_384
    /// The rows of one statement.
    private static let batch = 1000
    private var waiting: [Int64: Sighting] = [:]
    /// Registrations without new facts.
    private var seen: Set<Int64> = []

    /// Note a check-in.
    mutating func note(_ registration: Registration, _ app: AppFacts, _ host: HostFacts, _ now: Instant) {
        guard waiting.count < Sightings.capacity || waiting[registration.row] != nil else { return }
        waiting[registration.row] = Sighting(registration: registration, app: app, host: host, time: now)
    }

    /// Note a check-in without new facts.
    mutating func note(_ row: Int64) {
        guard seen.count < Sightings.capacity else { return }
        seen.insert(row)
    }

    var isEmpty: Bool { waiting.isEmpty && seen.isEmpty }

    /// Note again what could not be stored.
    mutating func merge(_ former: Sightings) {
        waiting.merge(former.waiting) { new, _ in new }
        seen.formUnion(former.seen)
    }

    /// Store what waits.
    func store(in store: Store, _ now: Instant) throws(MAMError) {
        if !waiting.isEmpty {
            try store.database.rowTransaction { () throws(MAMError) in
                // In one order, so that instances do not wait for each other.
                for sighting in waiting.values.sorted(by: { $0.registration.row < $1.registration.row }) {
                    _ = try store.recordCheckIn(
                        sighting.registration, app: sighting.app, host: sighting.host, now: sighting.time)
                }
            }
        }
        let rows = seen.subtracting(waiting.keys).sorted()
        guard let server = store.database as? PostgreSQLDatabase else {
            guard !rows.isEmpty else { return }
            return try store.database.transaction { () throws(MAMError) in
                for row in rows {
                    try store.database.run(
                        "UPDATE registrations SET last_sync = ?2 WHERE row = ?1", .integer(row),
                        .integer(now.milliseconds))
                }
            }
        }
        var rest = rows[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(Sightings.batch))
            rest = rest.dropFirst(Sightings.batch)
            try server.query(
                "UPDATE registrations SET last_sync = ?2 WHERE row = ANY(?1)", .numbers(batch),
                .integer(now.milliseconds)
            ) { _ in }
        }
    }
}

extension Service {
    /// Store when apps were last seen. To be called about once a second, and before the service is closed.
    public func storeSightings(now: Instant) {
        let sightings = checkIns.state.held { state in
            defer { state.sightings = Sightings() }
            return state.sightings
        }
        guard !sightings.isEmpty else { return }
        do throws(MAMError) { try sightings.store(in: files.store, now) } catch {
            report(error.message)
            checkIns.state.held { $0.sightings.merge(sightings) }
        }
    }
}
