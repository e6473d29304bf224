import MAMDirectory
import MAMSupport

/// Check-ins whose time and facts are not stored yet. They are stored together, about once a second: a crash loses that much of
/// "last seen", and nothing else.
struct Sightings {
    private struct Sighting {
        let registration: Registration
        let app: AppFacts
        let host: HostFacts
        let time: Instant
    }

    private static let capacity = 4096
    private var waiting: [Int64: Sighting] = [:]

    /// Note a check-in.
    mutating func note(_ registration: Registration, _ app: AppFacts, _ host: HostFacts, _ now: Instant) {
        guard waiting.count < Sightings.capacity || waiting[registration.row] != nil else { return }
        waiting[registration.row] = Sighting(registration: registration, app: app, host: host, time: now)
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// Store what waits, in the caller's transaction.
    func store(in store: Store) throws(MAMError) {
        // In one order, so that instances do not wait for each other.
        for sighting in waiting.values.sorted(by: { $0.registration.row < $1.registration.row }) {
            _ = try store.recordCheckIn(
                sighting.registration, app: sighting.app, host: sighting.host, now: sighting.time)
        }
    }

    /// Forget what waits, once it is stored.
    mutating func clear() { waiting = [:] }
}

extension Service {
    /// Store when apps were last seen. To be called about once a second, and before the service is closed.
    public func storeSightings() {
        guard !sightings.isEmpty else { return }
        do throws(MAMError) {
            try files.store.database.rowTransaction { () throws(MAMError) in try sightings.store(in: files.store) }
            sightings.clear()
        } catch { report(error.message) }
    }
}
