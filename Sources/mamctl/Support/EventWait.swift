import Glibc

/// Waits for descriptors, a deadline, or a signal that asks to end. Those signals wait from then on, so that
/// the command prints whole events and closes its session before it goes.
struct EventWait {
    /// Other processes change the state without a sign on the descriptor: look at least this often.
    private static let longestPause = 1.0
    /// How soon a signal is seen.
    private static let step = 0.2

    private let descriptors: [Int32]
    private let deadline: Double?
    private let signals: [Int32]

    init(descriptors: [Int32], timeout: Int32?) {
        self.descriptors = descriptors
        deadline = timeout.map { EventWait.now + Double($0) }
        // A signal that the caller ignores, as nohup does, stays ignored.
        signals = [SIGINT, SIGTERM, SIGHUP].filter { !EventWait.isIgnored($0) }
        var blocked = sigset_t()
        sigemptyset(&blocked)
        for number in signals { sigaddset(&blocked, number) }
        sigprocmask(SIG_BLOCK, &blocked, nil)
    }

    /// Wait for something to look at; false when the time is over or a signal asks to end.
    func pause() -> Bool {
        let end = min(deadline ?? .infinity, EventWait.now + EventWait.longestPause)
        repeat {
            let left = max(0, min(end - EventWait.now, EventWait.step))
            var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let ready = poll(&entries, nfds_t(entries.count), Int32((left * 1000).rounded(.up)))
            if isAskedToEnd { return false }
            if ready > 0 { return true }
        } while EventWait.now < end
        return deadline.map { EventWait.now < $0 } ?? true
    }

    private var isAskedToEnd: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return signals.contains { sigismember(&pending, $0) == 1 }
    }

    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
