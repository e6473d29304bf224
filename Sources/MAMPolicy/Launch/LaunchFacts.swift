import MAMSupport

/// The facts that launch checks evaluate, for one account. The caller collects them.
public struct LaunchFacts: Sendable {
    /// The PIN action that is required of the person.
    public enum PINPrompt: Sendable, CaseIterable {
        /// Nothing: the PIN was entered, and that is still valid.
        case nothing
        /// Enter the PIN.
        case enter
        /// Set a PIN: there is none.
        case set
        /// Enter the PIN, and set another one.
        case change
        /// Sign in: all attempts are used up.
        case signIn
    }

    /// The reason that the account's data stays closed, whatever the checks find; nil if nothing keeps it closed.
    public var closedReason: String?
    /// Whether the authority's latest answer reported the account as disabled.
    public var isDisabled = false
    /// The time since the last check-in; nil if there was none.
    public var timeSinceCheckIn: TimeSpan?
    /// Whether the authority has answered during this launch, so that the account is not offline.
    public var isOnline = false
    /// The app id. A policy's version bounds apply to the apps that it names.
    public var appId = ""
    /// The app's version, as the host states it.
    public var appVersion: String?
    /// This library's version.
    public var libraryVersion: String
    /// The platform that the host states; "linux" by default.
    public var platform = "linux"
    /// The operating system's version; nil if it is not known.
    public var systemVersion: String?
    /// The device model; nil if it is not known.
    public var model: String?
    /// The device lock.
    public var lock = DeviceLock.unknown
    /// The health of the device; nil if it was not read.
    public var health: DeviceHealth?
    /// The person's work status.
    public var work = WorkStatus.unknown
    /// The PIN action that is required of the person.
    public var pin = PINPrompt.nothing
    /// Whether the person has signed in, and that is still valid.
    public var hasSignedIn = false
    /// The time without a check-in for which the person must sign in where a policy's wipe period is shorter; nil for none.
    public var overdue: TimeSpan?
    /// The time for which the facts stay valid, except for ``timeSinceCheckIn`` and ``work``, which grow with the clocks.
    public var validity = FindingsValidity()

    /// Creates the facts of an account about which nothing is known.
    public init(libraryVersion: String) { self.libraryVersion = libraryVersion }
}

/// The person's work status, as a host reports it with the signal ``signal``.
public enum WorkStatus: Sendable, Equatable {
    case unknown, working
    /// The person has been clocked out for this time.
    case clockedOut(TimeSpan)

    /// The signal of `mam_report_device_health`: ok is working, fail is clocked out.
    public static let signal = DeviceHealthRules.workTime

    /// Derives the status from the host's report. The grace period begins with the first report of being clocked out.
    public init(_ health: DeviceHealth?, now: ClockReading) {
        let reading = health?.readings.first { $0.name == WorkStatus.signal }
        switch reading?.state {
        case .ok: self = .working
        case .fail:
            self = .clockedOut(health?.report?.clockedOutSince.map(now.passed(since:)) ?? TimeSpan(milliseconds: .max))
        case .unknown, .notApplicable, nil: self = .unknown
        }
    }
}
