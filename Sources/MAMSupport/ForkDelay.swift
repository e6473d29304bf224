import CHandles
import CProcess

/// Makes `fork` wait while code runs that a child could not continue: SQLite calls outside a connection with fork hooks, whose locks
/// belong to the process.
public final class ForkDelay: @unchecked Sendable {
    /// The delay of this process.
    public static let shared = ForkDelay()
    private let lock = Lock()  // guards everything below; held during a fork
    private var inside = 0
    private var isForking = false

    private init() {
        _ = process_fork_hooks_add(
            process_fork_hooks_t(
                context: nil, before: { _ in ForkDelay.shared.close() },
                after_parent: { _ in ForkDelay.shared.reopen() },
                after_child: { _ in ForkDelay.shared.renew() }))
    }

    /// Run `body` while forks wait. Reentrant.
    public func withForksHeld<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        let thread = thread_state_current()
        if thread.pointee.fork_delay_depth == 0 {
            lock.held {
                // A waiting fork takes precedence, or it could wait forever in a busy process.
                while isForking { _ = lock.wait(milliseconds: -1) }
                inside += 1
            }
        }
        thread.pointee.fork_delay_depth += 1
        defer {
            thread.pointee.fork_delay_depth -= 1
            if thread.pointee.fork_delay_depth == 0 {
                lock.held {
                    inside -= 1
                    if isForking { lock.broadcast() }
                }
            }
        }
        return try body()
    }

    private func close() {
        lock.take()
        isForking = true
        while inside > 0 { _ = lock.wait(milliseconds: -1) }
    }

    private func reopen() {
        isForking = false
        lock.broadcast()
        lock.drop()
    }

    private func renew() {
        isForking = false
        inside = 0
        lock.reset()
    }
}
