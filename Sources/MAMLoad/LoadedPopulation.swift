import MAMAuthority
import MAMMessages
import MAMPolicy
import MAMSupport

/// The simulated computers, each of which asks when its time has come on a clock that may be faster than the real one. Threads take
/// computers, one at a time, and give them back.
public final class LoadedPopulation: Sendable {
    private struct State {
        var computers: [LoadedComputer?]
        var due = DueQueue<Int>()
        var results = LoadResults()
        var random: SeededRandom
        /// Computers that are to be answered once more before the load is over; nil while it goes on.
        var settling: Set<Int>?
        var pause = TimeSpan.seconds(0)
        var isOver = false
    }

    private let state: Locked<State>
    /// The time of the simulated clock at its start.
    public static let start = Instant(milliseconds: 1_800_000_000_000)

    /// Computers, each with the time of its first request.
    public init(_ computers: [LoadedComputer], seed: UInt64) {
        var state = State(computers: computers, random: SeededRandom(seed))
        for computer in computers {
            let first = computer.plan.due(isInUse: computer.isInUse) ?? LoadedPopulation.start
            state.due.add(computer.number, due: first)
        }
        self.state = Locked(state)
    }

    /// The next thing for a thread to do.
    public enum Turn: Sendable {
        /// Have this computer ask, which was to do so some milliseconds ago.
        case ask(LoadedComputer, lag: Int64)
        /// Nothing is due for this long.
        case wait(TimeSpan)
        /// The load is over.
        case end
    }

    /// The computers whose turn it is. A computer that is taken has to be given back.
    public func turn(at now: Instant) -> Turn {
        state.withLock { state in
            guard !state.isOver else { return .end }
            guard let next = state.due.next, next <= now else {
                return .wait(state.due.next.map { $0 - now } ?? .minutes(1))
            }
            guard let (due, number) = state.due.take(), let computer = state.computers[number] else {
                return .wait(.seconds(1))
            }
            state.computers[number] = nil
            return .ask(computer, lag: (now - due).milliseconds)
        }
    }

    /// Give a computer back after its request, or without one where none could be made.
    public func giveBack(
        _ computer: LoadedComputer, _ outcome: (LoadedComputer.Request.Call, LoadedComputer.Outcome)?, at now: Instant,
        microseconds: Double = 0, isVerified: Bool = false, lag: Int64 = 0
    ) {
        var computer = computer
        state.withLock { state in
            if let (call, outcome) = outcome {
                state.results.note(call, outcome, of: computer.number)
                state.results.note(microseconds: microseconds, isVerified: isVerified, lag: lag)
            } else {
                computer.hurry(now + .minutes(1))
            }
            if let settling = state.settling {
                if outcome?.1.isAnswer ?? false { state.settling?.remove(computer.number) }
                let isLeft = settling.contains(computer.number) && !(outcome?.1.isAnswer ?? false)
                // A tenth of a second of the real clock, whatever its speed.
                if isLeft || state.results.wipes.isWaiting(computer.number) { computer.hurry(now + state.pause) }
                state.isOver = state.settling?.isEmpty ?? true && state.results.wipes.waiting.isEmpty
            }
            state.computers[computer.number] = computer
            state.due.add(computer.number, due: computer.plan.due(isInUse: computer.isInUse) ?? now + .days(1))
        }
    }

    /// A random number in 0..<1.
    public func fraction() -> Double { state.withLock { $0.random.fraction() } }

    /// A computer that is enrolled and has no wipe before it, for a wipe; nil where chance finds none. Its wipe has to be noted.
    public func candidateForWipe() -> LoadedComputer? {
        state.withLock { state in
            for _ in 0..<32 {
                let number = Int(state.random.fraction() * Double(state.computers.count))
                guard let computer = state.computers[number], computer.registration != nil,
                    computer.wipeToReport == nil,
                    !state.results.wipes.isOpen(number)
                else { continue }
                state.results.wipes.ask(of: number)
                return computer
            }
            return nil
        }
    }

    /// Note the answer to the administrator whose wipe is for a computer; nil: there was none.
    public func noteWipe(_ wipe: Int64?, of computer: LoadedComputer) {
        state.withLock { $0.results.wipes.answer(wipe, of: computer.number) }
    }

    /// Have computers that still have to wipe ask at once, and with `isThorough` all that are enrolled; end when all have reported or
    /// were answered. `pause` is the time between two tries.
    public func beginEnd(at now: Instant, isThorough: Bool, pause: TimeSpan) {
        state.withLock { state in
            let enrolled = state.computers.indices.filter { state.computers[$0]?.registration != nil }
            let settling = Set(isThorough ? enrolled : [])
            (state.settling, state.pause) = (settling, pause)
            let waiting = Set(state.results.wipes.waiting)
            state.isOver = settling.isEmpty && waiting.isEmpty
            var due = DueQueue<Int>()
            for number in settling.union(waiting) where state.computers[number] != nil {
                state.computers[number]?.hurry(now)
                due.add(number, due: now)
            }
            state.due = due
        }
    }

    /// End, whatever is left.
    public func end() { state.withLock { $0.isOver = true } }

    /// The results so far.
    public var results: LoadResults { state.withLock { $0.results } }
}
