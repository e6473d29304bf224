import CPlatform

/// A mutex with one condition. (Swift's `Mutex` does not survive `fork`.)
public final class Lock: @unchecked Sendable {
    // The C object does its own locking.
    private let lock = platform_lock_new()

    /// A lock nobody holds.
    public init() {}
    deinit { platform_lock_free(lock) }

    /// Run with the lock held. Not from inside itself.
    @discardableResult
    public func held<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        platform_lock_take(lock)
        defer { platform_lock_drop(lock) }
        return try body()
    }

    /// Run with the lock held; nil when it was not free within `milliseconds`.
    public func held<R, E: Error>(within milliseconds: Int64, _ body: () throws(E) -> R) throws(E) -> R? {
        guard platform_lock_take_within(lock, milliseconds) else { return nil }
        defer { platform_lock_drop(lock) }
        return try body()
    }

    /// With the lock held: give it up until a broadcast; false when `milliseconds` passed first (negative: no limit).
    public func wait(milliseconds: Int64) -> Bool { platform_lock_wait(lock, milliseconds) }
    /// Wake everybody who waits.
    public func broadcast() { platform_lock_broadcast(lock) }

    /// Before a fork: hold it, so that the child finds what it guards whole.
    public func take() { platform_lock_take(lock) }
    /// After a fork, in the parent.
    public func drop() { platform_lock_drop(lock) }
    /// After a fork, in the child.
    public func reset() { platform_lock_reset(lock) }
}
