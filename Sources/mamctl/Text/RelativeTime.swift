import Glibc
import MAMValues

/// The time between two moments, in words.
struct RelativeTime {
    let seconds: Int

    /// The times are in libmam's format; nil where one is not.
    static func between(_ start: JSON, _ end: String) -> RelativeTime? { start.string.flatMap { between($0, end) } }
    static func between(_ start: String, _ end: JSON) -> RelativeTime? { end.string.flatMap { between(start, $0) } }

    private static func between(_ start: String, _ end: String) -> RelativeTime? {
        guard let first = seconds(of: start), let last = seconds(of: end) else { return nil }
        return RelativeTime(seconds: max(0, last - first))
    }

    /// Seconds since 1970; nil for what is no time.
    static func seconds(of time: String) -> Int? {
        let numbers = time.split { !$0.isNumber }.compactMap { Int32($0) }
        guard numbers.count >= 6 else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] &- 1900, numbers[1] &- 1, numbers[2])
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
        return timegm(&parts)
    }

    var past: String { seconds < 60 ? "just now" : "\(words) ago" }
    var ahead: String { "in \(words)" }

    /// Rounded, so that 12 hours minus a moment reads as 12 hours.
    var words: String {
        switch seconds {
        case ..<60: "less than a minute"
        case ..<7200: RelativeTime.count((seconds + 30) / 60, "minute")
        case ..<172_800: RelativeTime.count((seconds + 1800) / 3600, "hour")
        default: RelativeTime.count((seconds + 43200) / 86400, "day")
        }
    }

    private static func count(_ number: Int, _ unit: String) -> String { "\(number) \(unit)\(number == 1 ? "" : "s")" }
}
