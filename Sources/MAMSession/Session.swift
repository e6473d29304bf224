import CProcess
import MAMAuthority
import MAMFiles
import MAMPolicy
import MAMState
import MAMSupport
import Synchronization

/// One open session of one app: it makes the services, publishes snapshots to them, carries out queued work (`Session+Due`), and
/// closes them. It holds no state of its own and decides nothing.
public final class Session: SessionService, @unchecked Sendable {
    let context: SessionContext
    /// The language of messages for people.
    public var language: Language { settings.language }
    /// Events and questions.
    public var events: Events { context.events }
    /// Operations and their results.
    public var operations: Operations { context.operations }
    /// The latest lines, and the host's log function.
    public var log: Log { context.log }
    /// Events for the host's telemetry.
    public var telemetry: Telemetry { context.telemetry }
    /// Decisions, and the handles that the host holds.
    public let policies: Policies
    /// Keys, sealing and streams.
    public let protection: Protection
    private let fileServices: FileServices
    /// Owners of files, and open files.
    public var files: Files { fileServices.files }
    /// Conversions of files as a whole.
    public var fileConversions: FileConversions { fileServices.conversions }
    /// SQLite file systems.
    public var databases: Databases { fileServices.databases }
    let health: Health
    /// The identities of threads, windows and the process.
    public let identities: CurrentIdentities
    /// The host's statements about the device.
    public let device: DeviceStatements
    /// Selective wipes.
    public let wipes: Wipes
    let enrollmentServices: EnrollmentServices
    var enrollments: Enrollments { enrollmentServices.enrollments }
    /// Registering, enrolling and unenrolling.
    public var registrations: Registrations { enrollmentServices.registrations }
    private let launchServices: LaunchServices
    /// Accounts that launches have blocked.
    public var launchBlocks: LaunchBlocks { launchServices.blocks }
    /// PINs of accounts.
    public var pins: PINs { launchServices.pins }
    /// Launches, resumes and conditional launch.
    public var launches: Launches { launchServices.launches }
    /// Switches of the identities that windows show.
    public var identitySwitches: IdentitySwitches { launchServices.switches }
    private let use: HostUse
    private let forkHooks: ForkHooks
    private var worker: Worker?
    /// The token of mam.h.
    public var token: UInt { context.token }

    /// Open a session: find or create the state, and finish the work of a killed process.
    public init(
        _ settings: OpenSettings, clock: Clock = .system, probe: DeviceProbe? = nil,
        transport: (@Sendable (InterruptSource) -> any Transport)? = nil
    ) throws(MAMError) {
        let directory = try StateDirectory(path: settings.stateDirectory, group: settings.app.group)
        let interrupts = InterruptSource()
        let verified = DocumentVerifier(keys: settings.authority.keys)
        let state = try State(directory: directory, app: settings.managedApp, interrupts: interrupts)
        let (snapshot, announced): (Snapshot, DeviceAccounts)
        do throws(MAMError) {
            announced = try DeviceStatements.storeGiven(state, settings)
            snapshot = try Snapshot.load(state, settings, settings.givenDevice, verified)
            try TestPolicies.checkTestPolicy(settings, snapshot)
            try ExtensionList.storeGiven(settings, state)
        } catch {
            state.close()
            throw error
        }
        let probe = probe ?? .system
        let authority = settings.authority.open(state, interrupts, clock, transport?(interrupts))
        let context = SessionContext(
            settings, state, clock, probe, verified, interrupts, authority, first: snapshot)
        self.context = context
        use = context.schedule.use
        protection = Protection(context)
        policies = Policies(context, protection)
        identities = CurrentIdentities(context)
        fileServices = FileServices(context, protection, identities)
        health = Health(context.snapshots, state, clock, probe, app: settings.app.id)
        device = DeviceStatements(context, health, announced: announced)
        wipes = Wipes(context, fileServices.databases)
        enrollmentServices = EnrollmentServices(context, wipes, protection)
        launchServices = LaunchServices(context, identities, health, wipes, enrollmentServices)
        // In locking order.
        var locks: [any ForkAware] = [
            device.stating, context.events.delivering, context.snapshots.loadLock, context.operations.queues.contents,
        ]
        locks +=
            device.locks + identities.locks + launchServices.blocks.locks + launchServices.pins.locks + policies.locks
        locks += fileServices.files.locks + fileServices.databases.locks + health.locks + context.screen.locks
        locks += [context.snapshots.snapshotLock, context.events.delegate, context.operations.requestThread]
        locks += [protection.refreshes] + enrollmentServices.signIns.locks
        locks += context.log.locks + context.telemetry.locks
        forkHooks = ForkHooks(locks)
        log.follow(snapshot)
        telemetry.disable(snapshot.settings.bool(SettingKey.telemetryDisabled))
        let problems = snapshot.problems
        snapshots.loader.set { [weak self] in self }
        operations.runner.set { [weak self] in self }
        do throws(MAMError) {
            // Resumed wipes wait a second, so that the host can set its delegate.
            wipes.resumeWipes(notBefore: process_clock_monotonic_ms() &+ 1000)
            log.writeOpening(
                "opened app \(settings.app.id) in group \(settings.app.group), libmam \(libraryVersion)")
            do throws(MAMError) { try ScrubbedKeys.keepGiven(snapshot, state) } catch {
                log.write(
                    .warning, "the list of values to scrub could not be kept for other processes: \(error.message)")
            }
            for problem in problems { warnClosed(problem.id, problem.error) }
            warnOfOrphanedShares()
            try device.announceDevice()
            if let given = settings.givenDevice { device.warnOfConfiguration(given) }
            for warning in settings.settings.warnings {
                events.warn(warning.message, [("setting", .string(warning.setting))])
            }
            try enrollmentServices.tests.beginTest()
            log.writeConfigurations(of: snapshots.latest, since: nil)
            if settings.hasWorker { worker = try Worker(operations) }
        } catch {
            forkHooks.remove()
            state.close()
            throw error
        }
    }

    /// Close: interrupt every wait, stop the worker, release everything. `mam_close` has drained all calls.
    public func close() {
        beginClosing()
        worker?.stop()
        worker = nil
        operations.joinRequests()
        forkHooks.remove()
        telemetry.close()
        events.delegate.set(nil)
        log.set(.error, nil)
        events.removeRead()
        enrollmentServices.signIns.giveUpAll()
        do throws(MAMError) { try device.storeAnnounced() } catch {
            log.write(.warning, "the device's accounts could not be stored: \(error.message)")
        }
        release(isForked: false)
    }

    /// Set the token of mam.h, before the handle is handed out.
    public func setToken(_ token: UInt) { context.ownToken.set(token) }

    /// Begin no further work, and end every wait.
    public func beginClosing() { operations.beginClosing() }

    /// In a forked child: the threads and the connection are the parent's; release memory and touch nothing else.
    public func abandon() {
        forkHooks.remove()
        worker?.forget()
        worker = nil
        operations.forgetRequests()
        telemetry.forget()
        release(isForked: true)
    }

    private func release(isForked: Bool) {
        identities.threadIdentity.forget()
        databases.close(isForked: isForked)
        policies.close()
        files.close(isForked: isForked)
        operations.queues.closeSignal()
        state.close()
    }

    /// Record that the host is in use.
    public func recordUse() { use.record() }

    /// End every wait in progress.
    public func interrupt() {
        operations.queues.interrupt()
        operations.wakeWorker()
    }
}
