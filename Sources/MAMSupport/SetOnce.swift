import Synchronization

private enum SetOnceState {
    static let empty = 0, beingSet = 1, set = 2
}

/// A value that is missing until it is set, once; later values are ignored. Any thread may read it at any time.
public final class SetOnce<Value: Sendable>: @unchecked Sendable {
    private let state = Atomic<Int>(SetOnceState.empty)
    private var stored: Value?  // written before `state` is `set` and read only afterwards

    /// A value that is not set yet.
    public init() {}

    /// The value; nil before it is set.
    public var value: Value? { state.load(ordering: .acquiring) == SetOnceState.set ? stored : nil }

    /// Set the value, unless it is set. Returns whether this call has set it.
    @discardableResult
    public func set(_ value: Value) -> Bool {
        guard
            state.compareExchange(expected: SetOnceState.empty, desired: SetOnceState.beingSet, ordering: .relaxed)
                .exchanged
        else {
            return false
        }
        stored = value
        state.store(SetOnceState.set, ordering: .releasing)
        return true
    }
}
