import CProcess

/// A mutex with one condition variable. (Swift's `Mutex` does not survive `fork`.)
public final class Lock: @unchecked Sendable {
    // The C object is thread-safe.
    private let lock = process_lock_new()

    /// Make a lock that is free.
    public init() {}
    deinit { process_lock_free(lock) }

    /// Runs `body` under the lock, which is not reentrant.
    @discardableResult
    public func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        process_lock_acquire(lock)
        defer { process_lock_release(lock) }
        return try body()
    }

    /// Runs `body` under the lock; returns nil if the lock was not free within `milliseconds`.
    public func withLock<R, E: Error>(within milliseconds: Int64, _ body: () throws(E) -> R) throws(E) -> R? {
        guard process_lock_acquire_within(lock, milliseconds) else { return nil }
        defer { process_lock_release(lock) }
        return try body()
    }

    /// Release the held lock until a broadcast, and take it again; false if `milliseconds` passed first (negative: no limit).
    public func wait(milliseconds: Int64) -> Bool { process_lock_wait(lock, milliseconds) }
    /// Wake every waiting thread.
    public func broadcast() { process_lock_broadcast(lock) }

    /// Take the lock before a fork, so that the child finds the guarded state consistent.
    public func take() { process_lock_acquire(lock) }
    /// Release the lock after a fork, in the parent.
    public func drop() { process_lock_release(lock) }
    /// Reset the lock after a fork, in the child.
    public func reset() { process_lock_reset(lock) }
}

extension Lock: ForkAware {
    /// Take the lock.
    public func beforeFork() { take() }
    /// Release the lock in the parent.
    public func afterForkInParent() { drop() }
    /// Reset the lock in the child.
    public func afterForkInChild() { reset() }
}
