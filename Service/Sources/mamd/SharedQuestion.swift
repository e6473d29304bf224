import Synchronization

/// A question to the database that several may ask at a time. Each of them waits 5 seconds at most: a change that waits for a lock or a standby holds
/// its connection for as long as that takes.
final class SharedQuestion<Answer: Sendable>: Sendable {
    private struct State {
        var isAsking = false
        var latest = 0
        var waiting: [Int: CheckedContinuation<Answer?, Never>] = [:]
    }

    private static var patience: Duration { .seconds(5) }
    private let state = Mutex(State())
    private let ask: @Sendable () async -> Answer

    init(_ ask: @escaping @Sendable () async -> Answer) { self.ask = ask }

    /// The answer; nil where there is none in time.
    func answer() async -> Answer? {
        await withCheckedContinuation { continuation in
            let (number, begins) = state.withLock { state in
                defer { state.isAsking = true }
                state.latest += 1
                state.waiting[state.latest] = continuation
                return (state.latest, !state.isAsking)
            }
            if begins { Task { await askForAll() } }
            Task {
                try? await Task.sleep(for: SharedQuestion.patience)
                state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: nil)
            }
        }
    }

    private func askForAll() async {
        let answer = await ask()
        let waiting = state.withLock { state in
            defer { (state.waiting, state.isAsking) = ([:], false) }
            return state.waiting.values
        }
        for one in waiting { one.resume(returning: answer) }
    }
}
