import CHandles
import CProcess

/// Makes `fork` wait while code runs that a child could not continue, because its locks belong to the process: SQLite calls outside a
/// connection with fork hooks, and calls of libcurl.
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
        begin()
        defer { end() }
        return try body()
    }

    /// Hold forks back until this thread has called ``end()`` as often.
    public func begin() {
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
    }

    /// End what ``begin()`` began.
    public func end() {
        let thread = thread_state_current()
        thread.pointee.fork_delay_depth -= 1
        if thread.pointee.fork_delay_depth == 0 { threads.change { $0.inside -= 1 } }
    }

    private func close() {
        threads.beforeFork { threads in
            threads.isForking = true
            return threads.inside == 0
        }
    }
}
