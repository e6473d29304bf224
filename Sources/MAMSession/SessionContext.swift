import MAMAuthority
import MAMFiles
import MAMPolicy
import MAMState
import MAMSupport

/// The parts that every service of a session uses.
final class SessionContext: Sendable {
    let settings: OpenSettings
    let state: State
    let clock: Clock
    let log: Log
    let telemetry: Telemetry
    let authority: any Authority
    let verified: DocumentVerifier  // one load uses it at a time
    let interrupts: InterruptSource
    let snapshots: Snapshots
    let events: Events
    let operations: Operations
    let schedule: CheckInSchedule
    let screen: ScreenLock
    /// Files that no call gives to an account.
    let libraryFiles: LibraryFiles
    /// Set when the session's handle is made.
    let ownToken = SetOnce<UInt>()
    /// The session's token of mam.h; 0 before it has one.
    var token: UInt { ownToken.value ?? 0 }

    init(
        _ settings: OpenSettings, _ state: State, _ clock: Clock, _ probe: DeviceProbe, _ verified: DocumentVerifier,
        _ interrupts: InterruptSource, _ authority: any Authority,
        first snapshot: Snapshot
    ) {
        (self.settings, self.state, self.clock) = (settings, state, clock)
        (self.verified, self.interrupts, self.authority) = (verified, interrupts, authority)
        log = Log(LogFile(state.directory, app: settings.app.id), clock: clock)
        libraryFiles = LibraryFiles(state.directory, settings.authority.files)
        screen = ScreenLock(clock, probe)
        screen.adoptReport(of: snapshot)
        telemetry = Telemetry(clock: clock, hasWorker: settings.hasWorker)
        snapshots = Snapshots(snapshot, of: state, interrupts)
        let queues = HostQueues(
            interrupts, waitingOutcomes: snapshot.outcomes.count, hasWorker: settings.hasWorker,
            hasService: settings.authority.isService)
        events = Events(queues, snapshots, settings, state, clock, log)
        operations = Operations(queues, settings, state, log, telemetry)
        schedule = CheckInSchedule(snapshots, settings, state, clock, operations)
        queues.schedule.set { [weak schedule] in schedule }
    }
}

/// A service of a session: it owns one kind of state and shares the context.
protocol SessionService: AnyObject, Sendable {
    var context: SessionContext { get }
}

extension SessionService {
    var settings: OpenSettings { context.settings }
    var libraryFiles: LibraryFiles { context.libraryFiles }
    var state: State { context.state }
    var clock: Clock { context.clock }
    var log: Log { context.log }
    var telemetry: Telemetry { context.telemetry }
    var authority: any Authority { context.authority }
    var verified: DocumentVerifier { context.verified }
    var interrupts: InterruptSource { context.interrupts }
    var snapshots: Snapshots { context.snapshots }
    var events: Events { context.events }
    var operations: Operations { context.operations }
    var schedule: CheckInSchedule { context.schedule }
    var screen: ScreenLock { context.screen }

    /// The snapshot of the latest generation; loads it when another thread or process has changed the state.
    func current(within milliseconds: Int64 = 60_000) throws(MAMError) -> Snapshot {
        try snapshots.current(within: milliseconds)
    }

    /// Load the latest state and publish it.
    @discardableResult
    func reload(within milliseconds: Int64 = 60_000) throws(MAMError) -> Snapshot {
        try snapshots.reload(within: milliseconds)
    }

    /// Update this session's copy of a record after a change that other processes need not see.
    func updateRecord(_ row: AccountRow) {
        snapshots.update(row)
        operations.queues.refreshSignal()
    }

    /// A status object for people and programs. `message` is a clause, to which the guidance is added.
    func status(
        _ code: StatusCode, accountId: String? = nil, upn: String? = nil, message: String = "",
        for messageKey: MessageKey? = nil, isRetried: Bool = true
    ) -> EnrollmentStatus {
        let guidance = code.guidance(for: messageKey ?? code.messageKey, isRetried: isRetried)
        return EnrollmentStatus(
            accountId: accountId, upn: upn, code: code, message: message.isEmpty ? guidance : "\(message). \(guidance)",
            for: messageKey, time: clock.now())
    }

    /// The status object of a known account.
    func status(_ code: StatusCode, of account: Account, message: String = "") -> EnrollmentStatus {
        status(code, accountId: account.accountId, upn: account.record.upn, message: message)
    }

    /// The status object of a failure of the authority.
    func status(
        _ failure: AuthorityFailure, accountId: String?, upn: String?, isRetried: Bool = true
    ) -> EnrollmentStatus {
        status(
            failure.code, accountId: accountId, upn: upn, message: failure.message, for: failure.messageKey,
            isRetried: isRetried)
    }

    /// Start an operation whose result is known.
    func startEnded(_ code: StatusCode, _ name: AccountName?) -> Int64 {
        operations.start(.ended(status(code, accountId: name?.accountId, upn: name?.upn)))
    }
}
