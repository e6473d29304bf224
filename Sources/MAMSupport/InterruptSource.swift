import CHandles
import CProcess
import Synchronization

/// Ends the waits of a session early: `interrupt` those in progress, `close` all later ones as well. The waits of libmam's own threads
/// end only on `close`, except those for the network.
public final class InterruptSource: Sendable {
    private let count = Atomic<UInt64>(0)
    private let isClosed = Atomic<Bool>(false)

    /// A source without interrupts.
    public init() {}

    /// Interrupt the waits in progress.
    public func interrupt() { count.add(1, ordering: .sequentiallyConsistent) }

    /// Interrupt all waits from now on.
    public func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        interrupt()
    }

    /// Begin a wait. `isForNetwork`: an interrupt ends it on a thread of libmam as well.
    public func beginWait(isForNetwork: Bool = false) -> Wait {
        Wait(interrupts: self, seen: count.load(ordering: .sequentiallyConsistent), isForNetwork: isForNetwork)
    }

    /// A wait of the thread that began it.
    public struct Wait: Sendable {
        fileprivate let interrupts: InterruptSource
        fileprivate let seen: UInt64
        fileprivate let isForNetwork: Bool

        /// Whether the wait must end.
        public var isInterrupted: Bool { interrupts.isClosed.load(ordering: .sequentiallyConsistent) || wasEnded }

        /// Whether an interrupt arrived after the wait began.
        fileprivate var wasEnded: Bool {
            interrupts.count.load(ordering: .sequentiallyConsistent) != seen
                && (isForNetwork || !thread_state_current().pointee.is_worker)
        }
    }
}

extension Lock {
    /// Runs `body` under the lock. Returns nil when the lock was not free within `milliseconds`; fails with `.interrupted` when the
    /// wait was interrupted. `already` is called between attempts and returns the result when the previous holders of the lock
    /// produced it.
    public func withLock<R>(
        within milliseconds: Int64, unless interrupts: InterruptSource, already: () -> R? = { nil },
        _ body: () throws(MAMError) -> R
    ) throws(MAMError) -> R? {
        let wait = interrupts.beginWait()
        let until = process_clock_monotonic_ms() &+ milliseconds
        while true {
            let left = until &- process_clock_monotonic_ms()
            // The lock may be free because its holder was interrupted. The same interrupt applies to this thread.
            let result = try withLock(within: min(20, max(0, left))) { () throws(MAMError) in
                guard !wait.wasEnded else { throw .interrupted }
                return try body()
            }
            if let result { return result }
            guard !wait.isInterrupted else { throw .interrupted }
            if let result = already() { return result }
            guard left > 0 else { return nil }
        }
    }
}

extension MAMError {
    /// The error of an interrupted wait.
    public static let interrupted = MAMError(.interrupted, "the wait was interrupted")
}
