import MAMPolicy
import MAMSupport

/// The latest readings of the device, and the health that was made of them.
struct HealthBoard {
    /// How long what was read counts as what there is.
    static let age = TimeSpan.seconds(30)

    private var readings: [DeviceReading] = []
    private var readAt: (time: Instant, sinceBoot: TimeSpan)?
    private var latest: (health: DeviceHealth, generation: UInt64)?

    /// Readings that still count, and when they were made.
    func readings(sinceBoot now: TimeSpan) -> (readings: [DeviceReading], time: Instant)? {
        guard let readAt, now >= readAt.sinceBoot,
            now.milliseconds - readAt.sinceBoot.milliseconds < HealthBoard.age.milliseconds
        else { return nil }
        return (readings, readAt.time)
    }

    /// The health that was made of them at a generation, if what it was made of still holds.
    func health(
        generation: UInt64, _ report: DeviceHealthReport?, sinceBoot: TimeSpan, now: Instant
    ) -> DeviceHealth? {
        guard let latest, latest.generation == generation, readings(sinceBoot: sinceBoot) != nil,
            (latest.health.report != nil) == (report?.holds(at: now) ?? false)
        else { return nil }
        return latest.health
    }

    /// When the device is looked at again; at once where it was since this health was made.
    func end(_ validity: inout LaunchValidity, of health: DeviceHealth, sinceBoot now: TimeSpan) {
        guard let readAt, latest?.health.time == health.time else { return validity.end() }
        let until = readAt.sinceBoot.milliseconds &+ HealthBoard.age.milliseconds
        validity.end(at: TimeSpan(milliseconds: until), from: now)
    }

    mutating func keep(_ readings: [DeviceReading], time: Instant, sinceBoot: TimeSpan) {
        self.readings = readings
        readAt = (time, sinceBoot)
        latest = nil
    }

    mutating func keep(_ health: DeviceHealth, generation: UInt64) { latest = (health, generation) }
}
