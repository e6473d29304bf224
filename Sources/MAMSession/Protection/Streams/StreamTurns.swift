import MAMSupport
import Synchronization

/// One call at a time on a stream, and a failure that stays: whoever goes on after one makes no whole container.
final class StreamTurns: @unchecked Sendable {
    private let isTaken = Atomic<Bool>(false)
    // Whoever has the turn.
    private var failure: MAMError?

    /// Run alone; a second thread is told that it is busy. What fails keeps failing, with the same reason, and `dropping` gives
    /// back what the stream holds.
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

/// Runs while the session of a stream cannot be closed; `.closed` where it was.
public typealias SessionDoor = (() throws(MAMError) -> Void) throws(MAMError) -> Void
