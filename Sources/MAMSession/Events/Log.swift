import CProcess
import MAMState
import MAMSupport

/// The log: the app's files, the latest lines for diagnostics, and the host's log function, which is called with no lock held.
public final class Log: Sendable {
    /// The levels of mam.h.
    public enum Level: Int32, Comparable, Sendable {
        case verbose = 0, info, warning, error
        /// Whether a level is below another.
        public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }

        /// The word in a line of a file.
        var name: String {
            switch self {
            case .verbose: "verbose"
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    private static let capacity = 64
    /// In characters; longer lines are cut.
    private static let maximumLength = 2000
    private struct Contents {
        var lines: [JSON] = []
        /// The level from which lines go to the host's function.
        var minimum = Level.error
        var keepsVerbose = false
        /// It has the names that only verbose lines may have.
        var snapshot: Snapshot?
        /// The line of the session's opening, before it is in the file.
        var opening: String?
    }
    private let contents = Locked(Contents())
    private let sink = Callback<@Sendable (Level, String) -> Void>()
    private let file: LogFile
    private let clock: Clock

    init(_ file: LogFile, clock: Clock) { (self.file, self.clock) = (file, clock) }

    /// Send lines of `level` and above to a function; returns when no call of the former one is running.
    func set(_ level: Level, _ function: (@Sendable (Level, String) -> Void)?) {
        contents.withLock { $0.minimum = level }
        sink.set(function)
    }

    /// `mam_set_log`.
    public func set(level: Int32, _ function: (@Sendable (Int32, String) -> Void)?) throws(MAMError) {
        guard let level = Level(rawValue: level) else { throw .argument("level", "is \(level); it must be 0 to 3") }
        guard let function else { return set(.error, nil) }
        set(level) { function($0.rawValue, $1) }
    }

    /// Follow a snapshot: `VerboseLoggingEnabled` (files and diagnostics then have verbose lines as well), and the names of accounts.
    func follow(_ snapshot: Snapshot) {
        let keepsVerbose = snapshot.settings.bool(SettingKey.verboseLoggingEnabled)
        contents.withLock { ($0.keepsVerbose, $0.snapshot) = (keepsVerbose, snapshot) }
    }

    /// Write the line of the session's opening. It goes to the file with the next line: a session in which nothing happens, like most
    /// of mamctl's, leaves the file to others.
    func writeOpening(_ message: String) { write(.info, message, isOpening: true) }

    /// Write a line. Only verbose lines name people: in others the row ids of accounts replace their names. No line contains a key,
    /// a token or plaintext.
    func write(_ level: Level, _ message: @autoclosure () -> String, isOpening: Bool = false) {
        let (isWanted, isKept, snapshot) = contents.withLock {
            (level >= $0.minimum && sink.isSet, level >= .info || $0.keepsVerbose, $0.snapshot)
        }
        guard isWanted || isKept else { return }
        let full = ForeignText.bounded(message(), limit: Log.maximumLength)
        let text = level == .verbose ? full : (snapshot?.namesToHide ?? PersonalNames()).replaced(in: full)
        if isKept { keep(level, text, isOpening) }
        if isWanted { sink.call { $0(level, text) } }
    }

    private func keep(_ level: Level, _ text: String, _ isOpening: Bool) {
        let time = clock.now().rfc3339
        let line: JSON = [
            "time": .string(time), "level": .integer(Int64(level.rawValue)), "message": .string(text),
        ]
        let process = String(decoding: decimalDigits(Int64(process_id())), as: UTF8.self)
        let written = "\(time) \(level.name) \(process) \(text)\n"
        let opening: String? = contents.withLock { contents in
            if contents.lines.count == Log.capacity { contents.lines.removeFirst() }
            contents.lines.append(line)
            let opening = contents.opening
            contents.opening = isOpening ? written : nil
            return opening
        }
        if !isOpening { file.append((opening ?? "") + written) }
    }

    /// The paths of the files, the newest first.
    public var paths: [String] { file.paths }

    /// The number of times that a line could not be written to the files.
    var lostLines: Int64 { file.lostLines }

    /// The latest lines, without values whose keys are known only now.
    var json: JSON {
        let (lines, snapshot) = contents.withLock { ($0.lines, $0.snapshot) }
        guard let scrubbed = snapshot?.settings.scrubbed else { return .array(lines) }
        return .array(
            lines.map { line in
                guard let message = line["message"]?.string else { return line }
                return [
                    "time": line["time"] ?? .null, "level": line["level"] ?? .null,
                    "message": .string(scrubbed.applied(to: message)),
                ]
            })
    }

    var locks: [any ForkAware] { [contents, sink, file] }
}
