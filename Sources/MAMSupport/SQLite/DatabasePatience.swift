import CPlatform
import CSQLite

/// How long a statement waits for other processes, and how it ends when it is interrupted: SQLite asks again and again. At the
/// same address as long as the connection is open.
final class DatabasePatience {
    var milliseconds: Int64
    private let interrupts: Interrupts?
    private var begun: Int64 = 0
    private var until: Int64 = 0
    private var wait: Interrupts.Wait?
    /// What every statement of a sound database stays far below: closing ends none of those.
    private static let grace: Int64 = 200
    private static let steps: Int32 = 10_000

    init(_ milliseconds: Int32, _ interrupts: Interrupts?) {
        self.milliseconds = Int64(milliseconds)
        self.interrupts = interrupts
    }

    func attach(to connection: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_busy_handler(
            connection, { context, turn in DatabasePatience.of(context)?.goesOn(turn: turn) == true ? 1 : 0 }, context)
        sqlite3_progress_handler(
            connection, DatabasePatience.steps,
            { context in DatabasePatience.of(context)?.isOverdue == true ? 1 : 0 }, context)
    }

    /// A statement begins.
    func begin() {
        begun = platform_time_monotonic()
        wait = interrupts?.begin()
    }

    var isInterrupted: Bool { wait?.isOver ?? false }
    private var isOverdue: Bool { isInterrupted && platform_time_monotonic() &- begun > DatabasePatience.grace }

    /// Wait a moment; false to give up.
    private func goesOn(turn: Int32) -> Bool {
        if turn == 0 { until = platform_time_monotonic() &+ milliseconds }
        guard platform_time_monotonic() < until, !isInterrupted else { return false }
        platform_sleep(turn < 5 ? Int64(1) << Int64(turn) : 20)
        return true
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> DatabasePatience? {
        context.map { Unmanaged<DatabasePatience>.fromOpaque($0).takeUnretainedValue() }
    }
}
