import CPlatform
import MAMAuthority
import MAMFiles
import MAMPolicy
import MAMState
import MAMSupport
import Synchronization

/// One open session of one app: composes the rest, decides nothing.
///
/// `lock` guards what lives in memory; it is never held while the authority, the host or the disk is waited for.
public final class Session: @unchecked Sendable {
    let settings: OpenSettings
    let state: State
    let authority: EmbeddedAuthority
    let clock: Clock
    let log: Log
    let verified: VerifiedDocuments  // used by one load at a time, and while opening
    /// When the host last called for a reason of its own, by the clock since boot.
    let lastUse: Atomic<Int64>
    /// The tick of that call.
    let lastTick = Atomic(Int64.min)
    let interrupts: Interrupts  // raised with `lock` held

    /// Guards `windows`, `ownProcessIdentity`, `ownDevice`,
    /// `toldDevice`, `guards`, `pinGrants`, `isClosing`,
    /// and the boards below.
    let lock = Lock()
    let stating = Lock()  // held while the host states the device; taken before a load
    let snapshots: Snapshots
    let handles: PolicyHandles
    let files = OpenFiles()
    let databases: Databases
    let health: Health
    let events: EventQueue
    let questions: QuestionBoard
    let operations: OperationBoard
    let ownerCache: OwnerCache
    let delegate = Callback<@Sendable (QuestionCall) -> Void>()
    /// What windows show, and what the host set for the process.
    var windows = WindowBoard()
    var ownProcessIdentity = AccountArgument.notGiven
    /// What the host stated of the device in this session; nil where it stated nothing.
    var ownDevice: HostDevice?
    /// Whose the device is by the state's note of what the host was told; nil where the host has been told more since.
    var toldDevice: DeviceAccounts?
    /// What launches, resumes and switches have found that closes accounts in this session.
    var guards: [AccountRowID: SessionFindings] = [:]
    /// Until when (since boot) an account's PIN may be set without the former one: the person has signed in.
    var pinGrants: [AccountRowID: TimeSpan] = [:]
    var isClosing = false
    /// Outcomes in the state that were not handed out yet.
    var waitingOutcomes = 0
    var delivered: [[UInt8]] = []
    let delivering = Lock()  // held while an outcome is taken; taken before `lock`
    private var forkHooks: UInt64 = 0
    var signal: platform_signal_t?
    /// When what is due was last looked for, by the waiting clock.
    var lastRun = Int64.min / 2
    var worker: Worker?
    /// The token of mam.h; set once, before the handle is handed out.
    public var token: UInt = 0

    /// Open: find or make the state, and finish what a killed process left.
    public init(_ settings: OpenSettings, clock: Clock = .system, probe: DeviceProbe? = nil) throws(MAMError) {
        let directory = try StateDirectory(path: settings.stateDirectory, group: settings.app.group)
        let interrupts = Interrupts()
        let verified = VerifiedDocuments(keys: settings.authorityKeys)
        let state = try State(directory: directory, app: settings.managedApp, interrupts: interrupts)
        let snapshot: Snapshot
        do throws(MAMError) {
            self.toldDevice = try Session.keepDevice(state, settings)
            snapshot = try Session.load(state, settings, settings.givenDevice, verified)
            try Session.checkTestPolicy(settings, snapshot)
            try Session.keepExtensions(settings, state)
        } catch {
            state.close()
            throw error
        }
        self.settings = settings
        self.ownDevice = settings.givenDevice
        self.state = state
        self.interrupts = interrupts
        self.clock = clock
        self.lastUse = Atomic(clock.sinceBoot().milliseconds)
        self.verified = verified
        self.authority = EmbeddedAuthority(
            path: settings.authorityPath, keys: settings.authorityKeys, interrupts: interrupts, now: clock.now)
        self.log = Log(clock: clock)
        self.events = EventQueue(lock: lock)
        self.questions = QuestionBoard(lock: lock)
        self.operations = OperationBoard(lock: lock)
        self.ownerCache = OwnerCache(lock: lock)
        self.snapshots = Snapshots(snapshot, of: state, interrupts)
        self.handles = PolicyHandles(snapshots)
        self.databases = Databases(snapshots, state, log)
        self.health = Health(snapshots, state, clock, probe ?? .system, app: settings.app.id)
        self.waitingOutcomes = snapshot.outcomes.count
        log.keepVerbose(snapshot.settings.bool(SettingKey.verboseLoggingEnabled))
        let problems = snapshot.problems
        snapshots.owner = self
        databases.owner = self
        forkHooks = platform_fork_add(
            platform_fork_hooks_t(
                context: Unmanaged.passUnretained(self).toOpaque(),
                before: { Session.of($0)?.beforeFork() },
                after_parent: { Session.of($0)?.afterForkInParent() },
                after_child: { Session.of($0)?.afterForkInChild() }))
        do throws(MAMError) {
            // The host has had no chance yet to set its delegate: a wipe waits a moment for it.
            resumeWipes(notBefore: platform_time_monotonic() &+ 1000)
            log.write(.info, "opened app \(settings.app.id) in group \(settings.app.group)")
            for problem in problems { warnClosed(problem.id, problem.error) }
            warnUnlisted()
            try tellDevice()
            if let given = settings.givenDevice { warnOfDeviceConfiguration(given) }
            warnOfSettings()
            try beginTest()
            logConfigurations(since: nil)
            if settings.hasWorker { worker = try Worker(session: self) }
        } catch {
            platform_fork_remove(forkHooks)
            state.close()
            throw error
        }
    }

    /// Close: interrupt what waits, stop the worker, give everything back. The caller has made sure that no call is inside.
    public func close() {
        beginClosing()
        worker?.stop()
        worker = nil
        platform_fork_remove(forkHooks)
        delegate.set(nil)
        log.set(.error, nil)
        forgetDelivered()
        do throws(MAMError) { try noteDeviceTold() } catch {
            log.write(.warning, "whose the device is could not be noted: \(error.message)")
        }
        threadIdentity.forget()
        databases.close(isForked: false)
        handles.close()
        files.close(isForked: false)
        if var signal { platform_signal_close(&signal) }
        signal = nil
        state.close()
    }

    /// From here on nothing new begins and everything that waits returns.
    public func beginClosing() {
        lock.held {
            isClosing = true
            interrupts.close()
            lock.broadcast()
        }
        platform_bell_ring(state.words)
    }

    /// In a forked child: the threads and the connection are the parent's; give memory back and touch nothing else.
    public func abandon() {
        platform_fork_remove(forkHooks)
        worker?.forget()
        worker = nil
        threadIdentity.forget()
        databases.close(isForked: true)
        handles.close()
        files.close(isForked: true)
        if var signal { platform_signal_close(&signal) }
        signal = nil
        state.close()
    }

    // Around a fork every lock of the session is held, in the order in which they are taken elsewhere, so that the child
    // finds what they guard whole. The state's own hooks come after these. In the child nothing is allocated or freed: another thread
    // of the parent may have held the lock of the host's allocator.

    private func beforeFork() {
        stating.take()
        delivering.take()
        snapshots.beforeFork()
        lock.take()
        handles.beforeFork()
        files.beforeFork()
        databases.beforeFork()
        health.beforeFork()
        snapshots.beforeForkLast()
        delegate.beforeFork()
        log.beforeFork()
    }

    private func afterForkInParent() {
        log.afterForkInParent()
        delegate.afterForkInParent()
        lock.drop()
        health.afterForkInParent()
        databases.afterForkInParent()
        files.afterForkInParent()
        handles.afterForkInParent()
        snapshots.afterForkInParent()
        delivering.drop()
        stating.drop()
    }

    private func afterForkInChild() {
        log.afterForkInChild()
        delegate.afterForkInChild()
        lock.reset()
        health.afterForkInChild()
        databases.afterForkInChild()
        files.afterForkInChild()
        handles.afterForkInChild()
        snapshots.afterForkInChild()
        delivering.reset()
        stating.reset()
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> Session? {
        context.map { Unmanaged<Session>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Make every call that waits now return.
    public func interrupt() {
        lock.held {
            interrupts.interrupt()
            lock.broadcast()
        }
    }
}
