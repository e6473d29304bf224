import MAMSupport

/// The log: the latest lines for diagnostics, and the host's function. No lock is held while the host's is called.
final class Log: @unchecked Sendable {
    enum Level: Int32, Comparable, Sendable {
        case verbose = 0, info, warning, error
        static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    private static let kept = 64
    private let lock = Lock()  // guards everything below
    private var lines: [JSON] = []
    private let sink = Callback<@Sendable (Level, String) -> Void>()
    private var minimum = Level.error
    private var keepsVerbose = false
    private let clock: Clock

    init(clock: Clock) { self.clock = clock }

    /// Send lines of `level` and above to a function; returns when no call of the former one is running.
    func set(_ level: Level, _ function: (@Sendable (Level, String) -> Void)?) {
        lock.held { minimum = level }
        sink.set(function)
    }

    /// `VerboseLoggingEnabled`: diagnostics keep verbose lines as well.
    func keepVerbose(_ keeps: Bool) { lock.held { keepsVerbose = keeps } }

    /// Say something. Only verbose lines may name people; no line holds a key, a token or plaintext.
    func write(_ level: Level, _ message: @autoclosure () -> String) {
        let (isWanted, isKept) = lock.held { (level >= minimum && sink.isSet, level >= .info || keepsVerbose) }
        guard isWanted || isKept else { return }
        let text = message()
        if isKept {
            let line: JSON = [
                "time": .string(clock.now().rfc3339), "level": .integer(Int64(level.rawValue)),
                "message": .string(text),
            ]
            lock.held {
                if lines.count == Log.kept { lines.removeFirst() }
                lines.append(line)
            }
        }
        if isWanted { sink.call { $0(level, text) } }
    }

    /// The latest lines.
    var json: JSON { lock.held { .array(lines) } }

    /// Around a fork: held before it.
    func beforeFork() {
        lock.take()
        sink.beforeFork()
    }

    func afterForkInParent() {
        sink.afterForkInParent()
        lock.drop()
    }

    func afterForkInChild() {
        sink.afterForkInChild()
        lock.reset()
    }
}
