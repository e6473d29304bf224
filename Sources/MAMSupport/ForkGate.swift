import CPlatform

/// Holds forks back while code runs that a forked child could not go on from: SQLite outside a connection with fork hooks
/// of its own (its locks belong to the process), and json-c (it takes the C library's locale lock, which a child inherits).
public final class ForkGate: @unchecked Sendable {
    /// The one of the process.
    public static let shared = ForkGate()
    private let lock = Lock()  // guards everything below; held through a fork
    private var inside = 0
    private var isForking = false

    private init() {
        _ = platform_fork_add(
            platform_fork_hooks_t(
                context: nil, before: { _ in ForkGate.shared.close() }, after_parent: { _ in ForkGate.shared.reopen() },
                after_child: { _ in ForkGate.shared.renew() }))
    }

    /// Run what no fork may interrupt. Inside itself it does not wait.
    public func pass<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        let thread = platform_thread_current()
        if thread.pointee.gate_depth == 0 {
            lock.held {
                // Nobody new, or a busy process would never come to fork.
                while isForking { _ = lock.wait(milliseconds: -1) }
                inside += 1
            }
        }
        thread.pointee.gate_depth += 1
        defer {
            thread.pointee.gate_depth -= 1
            if thread.pointee.gate_depth == 0 {
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
