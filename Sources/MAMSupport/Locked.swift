/// A value that is accessible only under its lock. The lock survives `fork`.
public final class Locked<Value>: ForkAware, @unchecked Sendable {
    @usableFromInline let lock = Lock()
    @usableFromInline var value: Value

    /// Guard a value.
    public init(_ value: Value) { self.value = value }

    /// Runs `body` under the lock, which is not reentrant. (Inlinable: specialised where it is used.)
    @discardableResult @inlinable
    public func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        lock.take()
        defer { lock.drop() }
        return try body(&value)
    }

    /// Runs `body` under the lock. Returns nil when the lock was not free within `milliseconds`; fails with `.interrupted` when the
    /// wait was interrupted.
    public func withLock<R>(
        within milliseconds: Int64, unless interrupts: InterruptSource, _ body: (inout Value) throws(MAMError) -> R
    ) throws(MAMError) -> R? {
        try lock.withLock(within: milliseconds, unless: interrupts) { () throws(MAMError) in try body(&value) }
    }

    /// Runs `body` under the lock, unless another thread holds it; nil then.
    public func withLockIfFree<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R? {
        try lock.withLock(within: 0) { () throws(E) in try body(&value) }
    }

    /// Take the lock, and prepare the value for the fork.
    public func beforeFork(_ prepare: (inout Value) -> Void) {
        lock.take()
        prepare(&value)
    }

    /// Take the lock.
    public func beforeFork() { lock.take() }
    /// Release the lock in the parent.
    public func afterForkInParent() { lock.drop() }
    /// Change the value, and reset the lock, in the child.
    public func afterForkInChild(_ change: (inout Value) -> Void) {
        change(&value)
        lock.reset()
    }
    /// Reset the lock in the child.
    public func afterForkInChild() { lock.reset() }
}
