import Glibc

/// Waits for descriptors, a deadline, or a signal that asks the process to end. Those signals are blocked from then on, so that the
/// command prints whole events and closes its session before it exits.
struct EventWait {
    /// In seconds. Other processes may change the state without making a descriptor readable.
    private static let maximumPause = 1.0
    /// The longest delay before a signal is noticed, in seconds.
    private static let step = 0.2

    private let descriptors: [Int32]
    private let deadline: Double?
    private let signals: [Int32]

    init(descriptors: [Int32], timeout: Int32?) {
        self.descriptors = descriptors
        deadline = timeout.map { EventWait.now + Double($0) }
        // Signals that the caller ignores, as nohup does, stay ignored.
        signals = EventWait.endings.filter { !EventWait.isIgnored($0) }
        var blocked = sigset_t()
        sigemptyset(&blocked)
        for number in signals { sigaddset(&blocked, number) }
        sigprocmask(SIG_BLOCK, &blocked, nil)
    }

    /// Wait for an event; false after the deadline or a signal. Fails once standard output has no reader, which a write would
    /// report only at the next event.
    func pause() throws -> Bool {
        let end = min(deadline ?? .infinity, EventWait.now + EventWait.maximumPause)
        repeat {
            let left = max(0, min(end - EventWait.now, EventWait.step))
            var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            entries.append(pollfd(fd: STDOUT_FILENO, events: 0, revents: 0))
            let ready = poll(&entries, nfds_t(entries.count), Int32((left * 1000).rounded(.up)))
            if isAskedToEnd { return false }
            guard ready <= 0 else {
                guard entries.last?.revents == 0 else { throw CommandError.brokenPipe }
                return true
            }
        } while EventWait.now < end
        return deadline.map { EventWait.now < $0 } ?? true
    }

    /// Wait until a descriptor can be read; false where a signal that is blocked asks the process to end.
    static func untilReadable(_ descriptor: Int32) -> Bool {
        repeat {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, Int32(step * 1000)) > 0 { return true }
        } while !isPending(endings)
        return false
    }

    private static let endings = [SIGINT, SIGTERM, SIGHUP]

    private var isAskedToEnd: Bool { EventWait.isPending(signals) }

    private static func isPending(_ signals: [Int32]) -> Bool {
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
