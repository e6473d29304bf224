import Dispatch
import Foundation
import MAMService
import Synchronization

/// Reads the facts of check-ins, those that wait in one statement, on a thread of its own. The next statement begins when half of the former
/// check-ins are answered, or a processor would have nothing to answer, and never waits for more to ask for: the more there is to do, the more
/// one statement reads.
final class CheckInGatherer: Sendable {
    private struct Waiting {
        let registration: String
        let continuation: CheckedContinuation<CheckInFacts?, Never>
    }

    private struct State {
        var waiting: [Waiting] = []
        var isReading = false
        /// Check-ins whose facts were read and that are not answered yet.
        var answering = 0
        /// How many the latest statement read.
        var latest = 0

        /// Whether a statement is to begin; the caller begins it.
        mutating func begins() -> Bool {
            guard !isReading, !waiting.isEmpty, answering < max(CheckInGatherer.processors, latest / 2) else {
                return false
            }
            isReading = true
            return true
        }
    }

    private static let most = 256
    private static let processors = ProcessInfo.processInfo.activeProcessorCount
    private let state = Mutex(State())
    private let thread = DispatchQueue(label: "mamd.check-ins")
    /// Used by `thread` alone.
    private nonisolated(unsafe) let reader: CheckInReader

    init(_ reader: CheckInReader) { self.reader = reader }

    /// The reply that `answer` makes of the facts of a registration; nil where something else applies to it, and where they cannot be read.
    func reply(
        for registration: String, _ answer: (CheckInFacts) -> ServiceReply?
    ) async -> ServiceReply? {
        let facts = await withCheckedContinuation { continuation in
            change { $0.waiting.append(Waiting(registration: registration, continuation: continuation)) }
        }
        defer { change { $0.answering -= 1 } }
        return facts.flatMap(answer)
    }

    private func change(_ body: (inout State) -> Void) {
        let begins = state.withLock { state in
            body(&state)
            return state.begins()
        }
        if begins { thread.async { self.read() } }
    }

    private func read() {
        let batch = state.withLock { state in
            let batch = Array(state.waiting.prefix(CheckInGatherer.most))
            state.waiting.removeFirst(batch.count)
            return batch
        }
        let facts = try? reader.facts(of: batch.map(\.registration))
        change { state in
            (state.isReading, state.latest) = (false, batch.count)
            state.answering += batch.count
        }
        for waiting in batch { waiting.continuation.resume(returning: facts?[waiting.registration]) }
    }
}
