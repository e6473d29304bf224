import MAMPolicy
import MAMSupport
import Testing

/// Clocks that are set, stopped and started, beside the time that really passes.
struct TestClocks {
    enum Step { case done, checkIn }

    private(set) var realTime: Int64 = 0  // milliseconds since the beginning
    private var error: Int64 = 0  // error of the time of day
    private var started: Int64 = -3_600_000
    private var boots = 1
    static let beginning: Int64 = 1_800_000_000_000

    var reading: ClockReading {
        ClockReading(
            time: Instant(milliseconds: TestClocks.beginning + realTime + error),
            sinceBoot: TimeSpan(milliseconds: realTime - started), boot: "boot \(boots)")
    }

    /// The offset of the time of day from the real time.
    var ahead: Int64 { error }

    mutating func wait(_ milliseconds: Int64) { realTime += milliseconds }
    mutating func set(by milliseconds: Int64) { error += milliseconds }
    mutating func reboot(after milliseconds: Int64) {
        realTime += milliseconds
        started = realTime
        boots += 1
    }

    /// Applies a line of clock.txt.
    mutating func step(_ text: String) throws -> Step {
        let words = text.split(separator: " ").map(String.init)
        let span = words.count > 1 ? try #require(TimeSpan(iso8601: words[1])).milliseconds : 0
        switch words[0] {
        case "wait": wait(span)
        case "ahead": set(by: span)
        case "behind": set(by: -span)
        case "off": reboot(after: span)
        case "checkin": return .checkIn
        case "look": break
        default: Issue.record("clock.txt says \(text)")
        }
        return .done
    }
}
