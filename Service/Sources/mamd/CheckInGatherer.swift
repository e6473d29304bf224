import Dispatch
import MAMService
import Synchronization

/// Reads the facts of check-ins, those that wait while the connection is busy in one statement, on a thread of its own.
final class CheckInGatherer: Sendable {
    private struct Waiting {
        let registration: String
        let continuation: CheckedContinuation<CheckInFacts?, Never>
    }

    private struct State {
        var waiting: [Waiting] = []
        var isReading = false
    }

    private static let most = 256
    private let state = Mutex(State())
    private let thread = DispatchQueue(label: "mamd.check-ins")
    /// Used by `thread` alone.
    private nonisolated(unsafe) let reader: CheckInReader

    init(_ reader: CheckInReader) { self.reader = reader }

    /// The facts of a registration; nil where something else applies to it, and where they cannot be read.
    func facts(of registration: String) async -> CheckInFacts? {
        await withCheckedContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting.append(Waiting(registration: registration, continuation: continuation))
                defer { state.isReading = true }
                return !state.isReading
            }
            if begins { thread.async { self.read() } }
        }
    }

    /// Read until nobody waits.
    private func read() {
        while let batch = next() {
            let facts = try? reader.facts(of: batch.map(\.registration))
            for waiting in batch { waiting.continuation.resume(returning: facts?[waiting.registration]) }
        }
    }

    private func next() -> [Waiting]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isReading = false
                return nil
            }
            let batch = Array(state.waiting.prefix(CheckInGatherer.most))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }
}
