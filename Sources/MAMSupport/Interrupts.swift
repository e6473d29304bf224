import CPlatform
import Synchronization

/// What ends the waits of one session before their time: an interrupt those that are under way, closing those to come as
/// well. The worker's own work goes on until closing.
public final class Interrupts: Sendable {
    private let count = Atomic<UInt64>(0)
    private let isClosed = Atomic<Bool>(false)

    /// Nothing interrupted yet.
    public init() {}

    /// End the waits that are under way.
    public func interrupt() { count.add(1, ordering: .sequentiallyConsistent) }

    /// End every wait from now on.
    public func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        interrupt()
    }

    /// A wait begins.
    public func begin() -> Wait { Wait(interrupts: self, seen: count.load(ordering: .sequentiallyConsistent)) }

    /// One wait, of the thread that began it.
    public struct Wait: Sendable {
        fileprivate let interrupts: Interrupts
        fileprivate let seen: UInt64

        /// Whether it may not go on.
        public var isOver: Bool { interrupts.isClosed.load(ordering: .sequentiallyConsistent) || wasEnded }

        /// Whether it was ended since it began.
        fileprivate var wasEnded: Bool {
            interrupts.count.load(ordering: .sequentiallyConsistent) != seen
                && !platform_thread_current().pointee.is_worker
        }
    }
}

extension Lock {
    /// Run with the lock held; nil when it was not free within `milliseconds`, `.interrupted` when the wait was ended. Where
    /// those who held it meanwhile did the work, `already` has its result, and nobody need wait any longer.
    public func held<R>(
        within milliseconds: Int64, unless interrupts: Interrupts, already: () -> R? = { nil },
        _ body: () throws(MAMError) -> R
    ) throws(MAMError) -> R? {
        let wait = interrupts.begin()
        let until = platform_time_monotonic() &+ milliseconds
        while true {
            let left = until &- platform_time_monotonic()
            // Free because the thread that held it was interrupted: so was this one.
            let result = try held(within: min(20, max(0, left))) { () throws(MAMError) in
                guard !wait.wasEnded else { throw .interrupted }
                return try body()
            }
            if let result { return result }
            guard !wait.isOver else { throw .interrupted }
            if let result = already() { return result }
            guard left > 0 else { return nil }
        }
    }
}

extension MAMError {
    /// A wait was ended.
    public static let interrupted = MAMError(.interrupted, "the wait was interrupted")
}
