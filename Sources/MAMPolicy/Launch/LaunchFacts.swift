import MAMSupport

/// What the checks of a launch look at, for one account: passed in by who knows it.
public struct LaunchFacts: Sendable {
    /// What is demanded of a person for the PIN at this moment.
    public enum PINDemand: Sendable, CaseIterable {
        /// Nothing: it was shown, and that holds.
        case nothing
        /// To show it.
        case enter
        /// To set one: there is none.
        case set
        /// To show it, and set another one.
        case change
        /// To sign in: every attempt is used up.
        case signIn
    }

    /// Why the account's data stays closed, whatever else is found; nil where nothing keeps it closed.
    public var closed: String?
    /// Whether the authority's latest answer called the account disabled.
    public var isDisabled = false
    /// How long it has been without a check-in; nil where there never was one.
    public var offline: TimeSpan?
    /// Whether the authority has answered in this very launch: then it has been without no check-in at all.
    public var isOnline = false
    /// The app's id; versions of apps that a policy bounds are about those it names.
    public var appId = ""
    /// The app's version, as the host says it.
    public var appVersion: String?
    /// This library's.
    public var libraryVersion: String
    /// The platform of the host, as it says it: "linux" unless it says another.
    public var platform = "linux"
    /// The system's version; nil where it cannot be told.
    public var systemVersion: String?
    /// What the computer is; nil where it cannot be told.
    public var model: String?
    /// The device lock.
    public var lock = DeviceLock.unknown
    /// The health of the device; nil where nobody has looked.
    public var health: DeviceHealth?
    /// Whether the person works now.
    public var work = WorkStatus.unknown
    /// What the PIN asks for.
    public var pin = PINDemand.nothing
    /// Whether the person has signed in, and that holds.
    public var hasSignedIn = false
    /// Whether the person has to sign in because the wipe period had passed before the latest check-in.
    public var mustSignIn = false
    /// For how long all this stays so, but for what grows with the clocks: ``offline`` and ``work``.
    public var validity = LaunchValidity()

    /// Facts of an account about which nothing is known.
    public init(libraryVersion: String) { self.libraryVersion = libraryVersion }
}

/// Whether an account's person works now, as a host reports it with the signal ``signal``.
public enum WorkStatus: Sendable, Equatable {
    case unknown, working
    /// For so long.
    case clockedOut(TimeSpan)

    /// The signal of `mam_report_device_health` that tells it: ok is working, fail is clocked out.
    public static let signal = DeviceHealthRules.workTime

    /// From what a host reported: a grace counts from the first report of being clocked out.
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
