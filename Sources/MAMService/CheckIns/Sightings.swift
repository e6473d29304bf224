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
        // In one order, so that instances do not wait for each other.
        let sightings = waiting.values.sorted { $0.registration.row < $1.registration.row }
        let rows = seen.subtracting(waiting.keys).sorted()
        guard let database = store.database as? PostgreSQLDatabase else {
            return try store.database.rowTransaction { () throws(MAMError) in
                for sighting in sightings {
                    _ = try store.recordCheckIn(
                        sighting.registration, app: sighting.app, host: sighting.host, now: sighting.time)
                }
                for row in rows {
                    try store.database.run(
                        "UPDATE registrations SET last_sync = ? WHERE row = ?", .integer(now.milliseconds),
                        .integer(row))
                }
            }
        }
        for batch in Sightings.batches(sightings) {
            try database.run(
                Sightings.newFacts, Sightings.columns(batch), .integer(Registration.recordInterval.milliseconds))
        }
        for batch in Sightings.batches(rows) {
            try database.run(
                "UPDATE registrations SET last_sync = ?2 WHERE row = ANY(?1)", [.numbers(batch)],
                .integer(now.milliseconds))
        }
    }

    private static func batches<Element>(_ all: [Element]) -> [[Element]] {
        stride(from: 0, to: all.count, by: batch).map { Array(all[$0..<min($0 + batch, all.count)]) }
    }

    /// As `recordCheckIn` does for one registration.
    private static let newFacts = """
        UPDATE registrations SET last_sync = v.seen, app_version = v.app_version, platform = v.platform,
            platform_version = v.platform_version, model = v.model, library_version = v.library_version,
            generation = v.generation
        FROM unnest(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            AS v (number, id, seen, generation, app_version, platform, platform_version, model, library_version)
        WHERE registrations.row = v.number AND registrations.id = v.id
            AND (registrations.last_sync IS NULL OR v.seen < registrations.last_sync
                OR registrations.last_sync + ?10 <= v.seen OR registrations.generation <> v.generation
                OR registrations.app_version IS DISTINCT FROM v.app_version OR registrations.platform <> v.platform
                OR registrations.platform_version <> v.platform_version
                OR registrations.model IS DISTINCT FROM v.model
                OR registrations.library_version <> v.library_version)
        """

    /// The columns of the values of `newFacts`.
    private static func columns(_ sightings: [Sighting]) -> [PostgreSQLList] {
        [
            .numbers(sightings.map(\.registration.row)), .texts(sightings.map { $0.registration.id }),
            .numbers(sightings.map(\.time.milliseconds)), .numbers(sightings.map(\.host.stateCounter)),
            .texts(sightings.map { $0.app.version }), .texts(sightings.map { $0.host.platform }),
            .texts(sightings.map { $0.host.platformVersion }), .texts(sightings.map { $0.host.model }),
            .texts(sightings.map { $0.host.libraryVersion }),
        ]
    }
}

extension Service {
    /// Store when apps were last seen. To be called about once a second, and before the service is closed.
    public func storeSightings(now: Instant) {
        let sightings = checkIns.state.withLock { state in
            defer { state.sightings = Sightings() }
            return state.sightings
        }
        guard !sightings.isEmpty else { return }
        do throws(MAMError) { try sightings.store(in: files.store, now) } catch {
            report(error.message)
            checkIns.state.withLock { $0.sightings.merge(sightings) }
        }
    }
}
