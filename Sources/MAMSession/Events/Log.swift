import MAMSupport

/// The log: the latest lines for diagnostics, and the host's log function, which is called with no lock held.
public final class Log: Sendable {
    /// The levels of mam.h.
    public enum Level: Int32, Comparable, Sendable {
        case verbose = 0, info, warning, error
        /// Whether a level is below another.
        public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    private static let capacity = 64
    private struct Contents {
        var lines: [JSON] = []
        /// The level from which lines go to the host's function.
        var minimum = Level.error
        var keepsVerbose = false
    }
    private let contents = Locked(Contents())
    private let sink = Callback<@Sendable (Level, String) -> Void>()
    private let clock: Clock

    init(clock: Clock) { self.clock = clock }

    /// Send lines of `level` and above to a function; returns when no call of the former one is running.
    func set(_ level: Level, _ function: (@Sendable (Level, String) -> Void)?) {
        contents.held { $0.minimum = level }
        sink.set(function)
    }

    /// `mam_set_log`.
    public func set(level: Int32, _ function: (@Sendable (Int32, String) -> Void)?) throws(MAMError) {
        guard let level = Level(rawValue: level) else { throw .argument("level", "is \(level); it must be 0 to 3") }
        guard let function else { return set(.error, nil) }
        set(level) { function($0.rawValue, $1) }
    }

    /// `VerboseLoggingEnabled`: diagnostics keep verbose lines as well.
    func keepVerbose(_ keeps: Bool) { contents.held { $0.keepsVerbose = keeps } }

    /// Write a line. Only verbose lines may name people; no line contains a key, a token or plaintext.
    func write(_ level: Level, _ message: @autoclosure () -> String) {
        let (isWanted, isKept) = contents.held {
            (level >= $0.minimum && sink.isSet, level >= .info || $0.keepsVerbose)
        }
        guard isWanted || isKept else { return }
        let text = message()
        if isKept {
            let line: JSON = [
                "time": .string(clock.now().rfc3339), "level": .integer(Int64(level.rawValue)),
                "message": .string(text),
            ]
            contents.held { contents in
                if contents.lines.count == Log.capacity { contents.lines.removeFirst() }
                contents.lines.append(line)
            }
        }
        if isWanted { sink.call { $0(level, text) } }
    }

    /// The latest lines.
    var json: JSON { contents.held { .array($0.lines) } }

    var locks: [any ForkAware] { [contents, sink] }
}
