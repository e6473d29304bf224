import MAMSupport
import Synchronization

/// Lets one call at a time into a stream. A failure is permanent, because no later call could complete the container.
final class StreamTurns: @unchecked Sendable {
    private let isTaken = Atomic<Bool>(false)
    // Only the thread whose turn it is uses this.
    private var failure: MAMError?

    /// Runs `body` alone; fails with `.busy` where another thread is inside. After a failure, which `dropping` follows, every call
    /// fails with the same error.
    func take(
        dropping: () -> Void, _ body: () throws(MAMError) -> Void
    ) throws(MAMError) {
        guard !isTaken.exchange(true, ordering: .acquiring) else {
            throw MAMError(.busy, "another thread is in a call on this stream, which takes one at a time")
        }
        defer { isTaken.store(false, ordering: .releasing) }
        if let failure { throw failure }
        do throws(MAMError) { try body() } catch {
            failure = error
            dropping()
            throw error
        }
    }
}

/// Runs its argument while the session of a stream cannot be closed; fails with `.closed` where it was.
public typealias SessionEntry = (() throws(MAMError) -> Void) throws(MAMError) -> Void
