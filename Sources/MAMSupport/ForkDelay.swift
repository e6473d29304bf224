import CHandles
import CProcess

/// Makes `fork` wait while code runs that a child could not continue: SQLite calls outside a connection with fork hooks, whose locks
/// belong to the process.
public final class ForkDelay: Sendable {
    /// The delay of this process.
    public static let shared = ForkDelay()

    private struct Threads {
        /// The number of threads inside ``withForksHeld(_:)``.
        var inside = 0
        var isForking = false
    }
    private let threads = Monitor(Threads())  // held during a fork

    private init() {
        _ = process_fork_hooks_add(
            process_fork_hooks_t(
                context: nil, before: { _ in ForkDelay.shared.close() },
                after_parent: { _ in ForkDelay.shared.threads.afterForkInParent { $0.isForking = false } },
                after_child: { _ in ForkDelay.shared.threads.afterForkInChild { $0 = Threads() } }))
    }

    /// Run `body` while forks wait. Reentrant.
    public func withForksHeld<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        let thread = thread_state_current()
        if thread.pointee.fork_delay_depth == 0 {
            threads.wait { threads -> Monitor<Threads>.Attempt<Void> in
                // A waiting fork takes precedence, or it could wait forever in a busy process.
                guard !threads.isForking else { return .wait(milliseconds: -1) }
                threads.inside += 1
                return .done(())
            }
        }
        thread.pointee.fork_delay_depth += 1
        defer {
            thread.pointee.fork_delay_depth -= 1
            if thread.pointee.fork_delay_depth == 0 { threads.change { $0.inside -= 1 } }
        }
        return try body()
    }

    private func close() {
        threads.beforeFork { threads in
            threads.isForking = true
            return threads.inside == 0
        }
    }
}
