/// A value with its lock and a condition, on which threads wait for a change of the value. The lock survives `fork`.
public final class Monitor<Value>: ForkAware, @unchecked Sendable {
    @usableFromInline let lock = Lock()
    @usableFromInline var value: Value

    /// Guard a value.
    public init(_ value: Value) { self.value = value }

    /// Runs `body` under the lock, which is not reentrant. (Inlinable, so that it is specialised for its callers.)
    @discardableResult @inlinable
    public func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        lock.take()
        defer { lock.drop() }
        return try body(&value)
    }

    /// Runs `body` under the lock, then wakes every waiting thread, even if `body` fails.
    @discardableResult @inlinable
    public func change<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        lock.take()
        defer {
            lock.broadcast()
            lock.drop()
        }
        return try body(&value)
    }

    /// The result of one attempt of ``wait(_:)``.
    public enum Attempt<R> {
        case done(R)
        /// Retry after a change, or after this many milliseconds; a negative value waits for a change.
        case wait(milliseconds: Int64)
    }

    /// Repeats `attempt` under the lock until it is done. The lock is released between attempts.
    @inlinable
    public func wait<R, E: Error>(_ attempt: (inout Value) throws(E) -> Attempt<R>) throws(E) -> R {
        lock.take()
        defer { lock.drop() }
        while true {
            switch try attempt(&value) {
            case .done(let result): return result
            case .wait(let milliseconds): _ = lock.wait(milliseconds: milliseconds)
            }
        }
    }

    /// Take the lock, and keep it once `isReady` allows the fork. `isReady` is called again after each change.
    public func beforeFork(_ isReady: (inout Value) -> Bool) {
        lock.take()
        while !isReady(&value) { _ = lock.wait(milliseconds: -1) }
    }

    /// Change the value, wake every waiting thread, and release the lock in the parent.
    public func afterForkInParent(_ change: (inout Value) -> Void) {
        change(&value)
        lock.broadcast()
        lock.drop()
    }

    /// Change the value, and reset the lock in the child.
    public func afterForkInChild(_ change: (inout Value) -> Void) {
        change(&value)
        lock.reset()
    }

    /// Take the lock.
    public func beforeFork() { lock.take() }
    /// Release the lock in the parent.
    public func afterForkInParent() { lock.drop() }
    /// Reset the lock in the child.
    public func afterForkInChild() { lock.reset() }
}
