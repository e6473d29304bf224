import CProcess
import CSQLite

/// SQLite's busy and progress handlers of a connection: bounds the wait of a statement for other processes, and ends it when it is
/// interrupted. SQLite holds a pointer to this object while the connection is open.
final class BusyHandler {
    var milliseconds: Int64
    private let interrupts: InterruptSource?
    private var begun: Int64 = 0
    private var until: Int64 = 0
    private var wait: InterruptSource.Wait?
    /// Statements of a sound database take much less, so that closing a session does not abort them.
    private static let grace: Int64 = 200
    private static let steps: Int32 = 10_000

    init(_ milliseconds: Int32, _ interrupts: InterruptSource?) {
        self.milliseconds = Int64(milliseconds)
        self.interrupts = interrupts
    }

    func attach(to connection: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_busy_handler(
            connection, { context, turn in BusyHandler.of(context)?.shouldRetry(turn: turn) == true ? 1 : 0 }, context)
        sqlite3_progress_handler(
            connection, BusyHandler.steps,
            { context in BusyHandler.of(context)?.shouldAbort == true ? 1 : 0 }, context)
    }

    /// Start the clock of a statement.
    func begin() {
        begun = process_clock_monotonic_ms()
        wait = interrupts?.beginWait()
    }

    var isInterrupted: Bool { wait?.isInterrupted ?? false }
    private var shouldAbort: Bool { isInterrupted && process_clock_monotonic_ms() &- begun > BusyHandler.grace }

    /// Wait before the next attempt. Returns false to give up.
    private func shouldRetry(turn: Int32) -> Bool {
        if turn == 0 { until = process_clock_monotonic_ms() &+ milliseconds }
        guard process_clock_monotonic_ms() < until, !isInterrupted else { return false }
        process_sleep(turn < 5 ? Int64(1) << Int64(turn) : 20)
        return true
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> BusyHandler? {
        context.map { Unmanaged<BusyHandler>.fromOpaque($0).takeUnretainedValue() }
    }
}
