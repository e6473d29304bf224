import Dispatch
import MAMService
import NIOCore
import Synchronization

/// Reads the facts of check-ins, those that wait in one statement, on a thread of its own or, where nothing but a file is read, on that of
/// their event loop. The next statement begins as soon as the former one is read, and never waits for more to ask for: the more there is to
/// do, the more one statement reads.
final class CheckInGatherer: Sendable {
    private struct Waiting {
        let registration: String
        let loop: any EventLoop
        let answer: @Sendable (CheckInFacts?) -> Void
    }

    private struct State {
        var waiting: [Waiting] = []
        var isReading = false

        /// Whether a statement is to begin; the caller begins it.
        mutating func begins() -> Bool {
            guard !isReading, !waiting.isEmpty else { return false }
            isReading = true
            return true
        }
    }

    private static let most = 256
    /// The check-ins that one turn of a loop answers.
    private static let turn = 8
    private let state = Mutex(State())
    /// Runs work on the thread that reads.
    private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Used by that thread alone.
    private nonisolated(unsafe) let reader: CheckInReader

    /// Read on a thread of its own.
    init(_ reader: CheckInReader) {
        let thread = DispatchQueue(label: "mamd.check-ins")
        (self.reader, run) = (reader, { work in thread.async { work() } })
    }

    /// Read for one event loop, on its thread.
    init(_ reader: CheckInReader, on loop: any EventLoop) {
        (self.reader, run) = (reader, { work in loop.execute(work) })
    }

    /// Read the facts of a registration and pass them to `answer` on an event loop; nil where something else applies to it, and where they
    /// cannot be read.
    func read(_ registration: String, for loop: any EventLoop, _ answer: @escaping @Sendable (CheckInFacts?) -> Void) {
        change { $0.waiting.append(Waiting(registration: registration, loop: loop, answer: answer)) }
    }

    private func change(_ body: (inout State) -> Void) {
        let begins = state.withLock { state in
            body(&state)
            return state.begins()
        }
        if begins { run { self.read() } }
    }

    private func read() {
        let batch = state.withLock { state in
            let batch = Array(state.waiting.prefix(CheckInGatherer.most))
            state.waiting.removeFirst(batch.count)
            return batch
        }
        let facts = try? reader.facts(of: batch.map(\.registration))
        change { $0.isReading = false }
        for (_, batch) in Dictionary(grouping: batch, by: { ObjectIdentifier($0.loop) }) {
            let loop = batch[0].loop
            loop.inEventLoop ? answer(batch[...], with: facts) : loop.execute { self.answer(batch[...], with: facts) }
        }
    }

    /// Answer some check-ins, and the rest in later turns of their loop: the replies are sent in between, so that the clients go on meanwhile.
    private func answer(_ batch: ArraySlice<Waiting>, with facts: [String: CheckInFacts]?) {
        for waiting in batch.prefix(CheckInGatherer.turn) {
            waiting.answer(facts?[waiting.registration])
        }
        let rest = batch.dropFirst(CheckInGatherer.turn)
        guard let next = rest.first else { return }
        next.loop.execute { self.answer(rest, with: facts) }
    }
}
