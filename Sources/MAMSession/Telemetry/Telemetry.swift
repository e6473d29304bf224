import CHandles
import CProcess
import MAMState
import MAMSupport
import Synchronization

/// Telemetry: events for a function of the host, which is their only way out. Nothing is recorded without one, nor where the setting
/// MAMTelemetryDisabled is true.
///
/// Events wait in a bounded queue and are delivered with no lock held: with a worker on a thread of their own, so that a slow
/// function delays no operation and no wipe; without one on the thread of the call that recorded them, before it returns.
public final class Telemetry: Sendable {
    /// Maximum number of waiting events; the oldest is dropped for a newer one, and counted.
    static let capacity = 256
    /// How long, in milliseconds, the end of a session may deliver waiting events.
    static let closingTime: Int64 = 2000

    private struct Contents {
        /// Waiting events, oldest first.
        var queue: [String] = []
        var lost: Int64 = 0
        /// The privacy level from which events are recorded; nil without a function.
        var level: TelemetryEvent.PrivacyLevel?
        var isDisabled = false
        /// The thread inside the host's function.
        var deliverer: UInt?
        /// The threads that carry out operations which the host's function has started.
        var unrecorded: [UInt] = []
        /// The monotonic time at which delivery ends, once the session is closing.
        var end: Int64?

        var isOn: Bool { level != nil && !isDisabled }

        /// Whether what a thread does is recorded. The host's function is not, or its calls could go on for ever.
        func isRecorded(_ thread: UInt) -> Bool { deliverer != thread && !unrecorded.contains(thread) }

        /// Take the oldest event, unless the session has been closing for too long.
        mutating func next(_ lostEvent: (Int64) -> String) -> String? {
            if let end, end <= process_clock_monotonic_ms() { return nil }
            guard lost == 0 else {
                defer { lost = 0 }
                return lostEvent(lost)
            }
            return queue.isEmpty ? nil : queue.removeFirst()
        }
    }
    private let contents = Monitor(Contents())
    private let thread = Locked<BackgroundThread?>(nil)
    private let sink = Callback<@Sendable (String) -> Void>()
    private let on = Atomic<Bool>(false)
    private let clock: Clock
    private let hasWorker: Bool

    init(clock: Clock, hasWorker: Bool) { (self.clock, self.hasWorker) = (clock, hasWorker) }

    /// Whether events are recorded. One atomic read: without a function of the host nothing else is done.
    var isOn: Bool { on.load(ordering: .relaxed) }

    /// `mam_set_telemetry`.
    public func set(level: Int32, _ function: (@Sendable (String) -> Void)?) throws(MAMError) {
        guard let level = TelemetryEvent.PrivacyLevel(rawValue: level) else {
            throw .argument("level", "is \(level); it must be 0 to 2")
        }
        if function != nil, hasWorker { try startThread() }
        change { contents in
            contents.level = function == nil ? nil : level
            if function == nil { (contents.queue, contents.lost) = ([], 0) }
        }
        sink.set(function)
    }

    /// `MAMTelemetryDisabled`: also events that wait are dropped.
    func disable(_ isDisabled: Bool) {
        change { contents in
            contents.isDisabled = isDisabled
            if isDisabled { (contents.queue, contents.lost) = ([], 0) }
        }
    }

    /// Record an event. `account`: its object id and tenant, as far as they are known.
    func record(_ event: TelemetryEvent, of account: TelemetryAccount? = nil) {
        guard isOn else { return }
        let time = clock.now()
        contents.change { contents in
            guard contents.isOn, let level = contents.level, event.kind.privacyLevel >= level,
                contents.isRecorded(Telemetry.currentThread)
            else { return }
            if contents.queue.count == Telemetry.capacity {
                contents.queue.removeFirst()
                contents.lost += 1
            }
            contents.queue.append(event.json(of: account, at: time).text)
        }
    }

    /// Whether what this thread does now is recorded.
    var isRecorded: Bool { !isOn || contents.withLock { $0.isRecorded(Telemetry.currentThread) } }

    /// Carry out a step of an operation on this thread. An operation that the host's function has started is not recorded.
    func carryOut<R>(isRecorded: Bool, _ step: () throws(MAMError) -> R) throws(MAMError) -> R {
        guard !isRecorded else { return try step() }
        let thread = Telemetry.currentThread
        contents.withLock { $0.unrecorded.append(thread) }
        defer { contents.withLock { $0.unrecorded.removeAll { $0 == thread } } }
        return try step()
    }

    /// Without a worker: deliver the waiting events on this thread, unless another one does. At most as many as may wait, so that the
    /// events of other threads do not hold this one.
    public func deliverWaiting() {
        guard isOn, !hasWorker else { return }
        for _ in 0..<Telemetry.capacity {
            let next = contents.withLock { $0.deliverer == nil ? take(&$0) : nil }
            guard let next else { return }
            deliver(next)
        }
    }

    /// Deliver what waits, for a bounded time, and end. The caller ensures that no call is in progress.
    func close() {
        contents.change { $0.end = process_clock_monotonic_ms() &+ Telemetry.closingTime }
        deliverWaiting()
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
        change { $0.level = nil }
        sink.set(nil)
    }

    /// In a forked child, which does not have the thread.
    func forget() {
        thread.withLock { thread in
            thread?.forget()
            thread = nil
        }
    }

    var locks: [any ForkAware] { [thread, contents, sink] }

    private func change(_ body: (inout Contents) -> Void) {
        contents.change { contents in
            body(&contents)
            on.store(contents.isOn, ordering: .relaxed)
        }
    }

    // MARK: Delivery

    private func startThread() throws(MAMError) {
        try thread.withLock { (thread) throws(MAMError) in
            guard thread == nil else { return }
            thread = try BackgroundThread(
                "start the thread of telemetry", run: { self.run() },
                stop: { self.contents.change { $0.end = process_clock_monotonic_ms() } })
        }
    }

    private func run() {
        while let next = awaitNext() { deliver(next) }
    }

    /// Wait for an event; nil when the session is closing and none waits.
    private func awaitNext() -> String? {
        contents.wait { contents in
            if let next = take(&contents) { return .done(next) }
            return contents.end == nil ? .wait(milliseconds: -1) : .done(nil)
        }
    }

    private func take(_ contents: inout Contents) -> String? {
        let next = contents.next { lost in TelemetryEvent.eventsLost(lost).json(of: nil, at: clock.now()).text }
        if next != nil { contents.deliverer = Telemetry.currentThread }
        return next
    }

    private func deliver(_ text: String) {
        sink.call { $0(text) }
        contents.withLock { $0.deliverer = nil }
    }

    /// A number that no other living thread has.
    private static var currentThread: UInt { UInt(bitPattern: thread_state_current()) }
}
