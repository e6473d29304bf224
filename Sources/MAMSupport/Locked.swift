/// A value and the lock that guards it: there is no other way to the value. The lock survives `fork`.
public final class Locked<Value>: @unchecked Sendable {
    @usableFromInline let lock = Lock()
    @usableFromInline var value: Value

    /// Guard a value.
    public init(_ value: Value) { self.value = value }

    /// Run with the lock held. Not from inside itself. (Inlinable: specialised where it is used.)
    @discardableResult @inlinable
    public func held<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        lock.take()
        defer { lock.drop() }
        return try body(&value)
    }

    /// Before a fork: hold the lock, so that the child finds the value whole.
    public func beforeFork() { lock.take() }
    /// After a fork, in the parent.
    public func afterForkInParent() { lock.drop() }
    /// After a fork, in the child.
    public func afterForkInChild() { lock.reset() }
}
