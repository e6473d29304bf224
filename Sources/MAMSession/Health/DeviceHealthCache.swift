import MAMPolicy
import MAMSupport

/// The latest readings of the device, and the health derived from them.
struct DeviceHealthCache {
    /// How long a reading is valid.
    static let age = TimeSpan.seconds(30)

    private var readings: [DeviceReading] = []
    private var readAt: (time: Instant, sinceBoot: TimeSpan)?
    private var latest: (health: DeviceHealth, generationWord: UInt64)?

    /// The readings that are still valid, and when they were made.
    func readings(sinceBoot now: TimeSpan) -> (readings: [DeviceReading], time: Instant)? {
        guard let readAt, now >= readAt.sinceBoot,
            now.milliseconds - readAt.sinceBoot.milliseconds < DeviceHealthCache.age.milliseconds
        else { return nil }
        return (readings, readAt.time)
    }

    /// The health derived at a generation, if its readings and its report are still valid.
    func health(
        generationWord: UInt64, _ report: DeviceHealthReport?, sinceBoot: TimeSpan, now: Instant
    ) -> DeviceHealth? {
        guard let latest, latest.generationWord == generationWord, readings(sinceBoot: sinceBoot) != nil,
            (latest.health.report != nil) == (report?.holds(at: now) ?? false)
        else { return nil }
        return latest.health
    }

    /// End `validity` when the readings expire; at once if the device was read again since `health` was derived.
    func limit(_ validity: inout FindingsValidity, of health: DeviceHealth, sinceBoot now: TimeSpan) {
        guard let readAt, latest?.health.time == health.time else { return validity.end() }
        let until = readAt.sinceBoot.milliseconds &+ DeviceHealthCache.age.milliseconds
        validity.end(at: TimeSpan(milliseconds: until), from: now)
    }

    mutating func store(_ readings: [DeviceReading], time: Instant, sinceBoot: TimeSpan) {
        self.readings = readings
        readAt = (time, sinceBoot)
        latest = nil
    }

    mutating func store(_ health: DeviceHealth, generationWord: UInt64) { latest = (health, generationWord) }
}
