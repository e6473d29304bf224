import CPlatform

/// Holds forks back while SQLite is used outside a connection that has fork hooks of its own: its locks belong to the
/// process, and a child that inherits an open connection or a held mutex waits for ever.
public final class ForkGate: @unchecked Sendable {
    /// The one of the process.
    public static let shared = ForkGate()
    private let lock = Lock()  // guards `open`; held through a fork
    private var open = 0

    private init() {
        _ = platform_fork_add(
            platform_fork_hooks_t(
                context: nil, before: { _ in ForkGate.shared.close() },
                after_parent: { _ in ForkGate.shared.lock.drop() },
                after_child: { _ in ForkGate.shared.lock.reset() }))
    }

    /// Run with a file open; it is closed when `body` returns.
    public func whileOpen<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        lock.held { open += 1 }
        defer {
            lock.held {
                open -= 1
                lock.broadcast()
            }
        }
        return try body()
    }

    private func close() {
        lock.take()
        while open > 0 { _ = lock.wait(milliseconds: -1) }
    }
}
