/// A value that is accessible only under its lock. The lock survives `fork`.
public final class Locked<Value>: ForkAware, @unchecked Sendable {
    @usableFromInline let lock = Lock()
    @usableFromInline var value: Value

    /// Guard a value.
    public init(_ value: Value) { self.value = value }

    /// Runs `body` under the lock, which is not reentrant. (Inlinable: specialised where it is used.)
    @discardableResult @inlinable
    public func held<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        lock.take()
        defer { lock.drop() }
        return try body(&value)
    }

    /// Take the lock.
    public func beforeFork() { lock.take() }
    /// Release the lock in the parent.
    public func afterForkInParent() { lock.drop() }
    /// Reset the lock in the child.
    public func afterForkInChild() { lock.reset() }
}
