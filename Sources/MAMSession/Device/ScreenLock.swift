import MAMPolicy
import MAMState
import MAMSupport
import Synchronization

/// Whether the locked screen closes data now. The host's report counts, else logind is asked, at the call and not in between.
final class ScreenLock: Sendable {
    private static let interval = TimeSpan.seconds(1)

    private struct Contents {
        var history = ScreenLockHistory()
        var reported: ReportedScreen?
        /// A thread is asking logind. It is not waited for before `staleAt`.
        var isAsking = false
        var staleAt = TimeSpan(milliseconds: .min)
    }

    private let clock: Clock
    private let probe: DeviceProbe
    private let contents = Locked(Contents())
    // Times since boot in milliseconds: data is closed from the first on, and logind is asked again from the second on.
    private let closesAt = Atomic<Int64>(.max)
    private let nextLook = Atomic<Int64>(.min)

    init(_ clock: Clock, _ probe: DeviceProbe) { (self.clock, self.probe) = (clock, probe) }

    /// Whether data is closed to accounts whose policy demands that while the screen is locked.
    func isClosed() -> Bool {
        let now = clock.sinceBoot()
        if now.milliseconds >= nextLook.load(ordering: .acquiring) { look(at: now) }
        return now.milliseconds >= closesAt.load(ordering: .acquiring)
    }

    /// Takes over the report of a new snapshot.
    func adoptReport(of snapshot: Snapshot) {
        contents.withLock { contents in
            guard contents.reported != snapshot.screen else { return }
            contents.reported = snapshot.screen
            nextLook.store(.min, ordering: .releasing)
        }
    }

    private func look(at now: TimeSpan) {
        let mustAsk = contents.withLock { contents -> Bool in
            if let reported = contents.reported, reported.holds(at: clock.reading) {
                // No time passes until the next report, or until the computer restarts.
                storeClosingTime(reported.closesAt, nextLook: TimeSpan(milliseconds: .max))
                return false
            }
            guard !contents.isAsking || now >= contents.staleAt else { return false }
            contents.isAsking = true
            return true
        }
        guard mustAsk else { return }
        let state = probe.screen()
        contents.withLock { contents in
            contents.isAsking = false
            contents.history.add(state, at: now)
            contents.staleAt = now.plus(ScreenLock.interval).plus(ScreenLock.interval)
            guard contents.reported?.holds(at: clock.reading) != true else { return }
            // Asking in vain can take a second.
            let interval = state == .unknown ? ScreenLockHistory.grace : ScreenLock.interval
            storeClosingTime(contents.history.closesAt, nextLook: now.plus(interval))
        }
    }

    private func storeClosingTime(_ closesAt: TimeSpan?, nextLook: TimeSpan) {
        self.closesAt.store(closesAt?.milliseconds ?? .max, ordering: .releasing)
        self.nextLook.store(nextLook.milliseconds, ordering: .releasing)
    }

    /// As `mam_diagnostics` shows it.
    var json: JSON {
        let isClosed = isClosed()
        return contents.withLock { contents in
            let reported = contents.reported.flatMap { $0.holds(at: clock.reading) ? $0 : nil }
            let state = reported.map { $0.isLocked ? ScreenState.locked : .unlocked } ?? contents.history.latest
            return [
                "state": .string(state.name), "source": reported == nil ? "logind" : "host", "closes": .bool(isClosed),
            ]
        }
    }

    var locks: [any ForkAware] { [contents] }
}

extension Session {
    /// `mam_report_screen_lock`: stores the report for every app of the group.
    public func reportScreen(_ screen: ScreenState) throws(MAMError) {
        let now = clock.reading
        let before = try current().screen.flatMap { $0.holds(at: now) ? $0 : nil }
        let report = screen == .unknown ? nil : ReportedScreen(isLocked: screen == .locked, at: now)
        // The time of locking is that of the first report.
        guard before?.isLocked != report?.isLocked else { return }
        try state.commitForAll { (view) throws(MAMError) in
            if let report {
                try view.groupValues.set(.screen, to: report.json)
            } else {
                try view.groupValues.remove(.screen)
            }
        }
        try reload()
    }
}

extension Snapshot {
    /// The report of an app of the group. One that does not verify, or that a newer libmam wrote, is none: logind is asked.
    static func screen(_ view: StateView) throws(MAMError) -> ReportedScreen? {
        do throws(MAMError) { return try view.groupValues.value(.screen).flatMap(ReportedScreen.init(json:)) } catch {
            guard error.code == .tampered else { throw error }
            return nil
        }
    }
}
