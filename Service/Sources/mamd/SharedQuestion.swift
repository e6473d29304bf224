import Synchronization

/// A question to the database that several may ask at a time. It has 5 seconds: a change that waits for a lock or a standby holds its connection for
/// as long as that takes.
final class SharedQuestion<Answer: Sendable>: Sendable {
    private enum Phase: Equatable { case idle, asking, late }

    private struct State {
        var phase = Phase.idle
        /// The number of the question that is asked, so that the timer of a former one ends nothing.
        var number = 0
        var waiting: [CheckedContinuation<Answer?, Never>] = []
    }

    private static var patience: Duration { .seconds(5) }
    private let state = Mutex(State())
    private let ask: @Sendable () async -> Answer

    init(_ ask: @escaping @Sendable () async -> Answer) { self.ask = ask }

    /// The answer; nil where there is none in time, at once where the question is late already.
    func answer() async -> Answer? {
        await withCheckedContinuation { continuation in
            let phase = state.withLock { state in
                guard state.phase != .late else { return Phase.late }
                defer { state.phase = .asking }
                if state.phase == .idle { state.number += 1 }
                state.waiting.append(continuation)
                return state.phase
            }
            switch phase {
            case .idle: Task { await askForAll() }
            case .asking: break
            case .late: continuation.resume(returning: nil)
            }
        }
    }

    private func askForAll() async {
        let number = state.withLock(\.number)
        let timer = Task {
            try await Task.sleep(for: SharedQuestion.patience)
            end(nil, then: .late, number)
        }
        let answer = await ask()
        timer.cancel()
        end(answer, then: .idle, number)
    }

    private func end(_ answer: Answer?, then phase: Phase, _ number: Int) {
        let waiting = state.withLock { state in
            guard state.number == number, state.phase != .idle else {
                return [] as [CheckedContinuation<Answer?, Never>]
            }
            defer { (state.waiting, state.phase) = ([], phase) }
            return state.waiting
        }
        for one in waiting { one.resume(returning: answer) }
    }
}
