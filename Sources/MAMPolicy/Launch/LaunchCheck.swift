/// The launch checks, in the order of reports: docs/launch.md.
public enum LaunchCheck: String, Sendable, CaseIterable {
    /// Whether the checks could run at all.
    case library
    /// Whether there is a policy, if the settings require one.
    case policyRequired
    /// Whether the account is being wiped; also names the finding that wipes it when the authority refuses it.
    case wipe
    /// Whether the account's state can be trusted.
    case account
    case deviceHealth, disabledAccount, threatLevel, deviceModel, sdkVersion, appVersion, osVersion
    /// Whether the wipe period has passed without a check-in. That alone blocks; a refusal of the authority then wipes.
    case wipePeriodOffline = "offlineWipe"
    /// Whether the grace period has passed without a check-in.
    case offline
    case clockedOut
    case deviceLock
    case pin, credentials
    /// Whether there is a policy, if the settings warn without one.
    case policyAbsent

    /// Whether findings are facts of the account, which block it in every session of the app. Findings of other checks are
    /// facts of one session: its host, its device report, its authentications.
    public var isOfAccount: Bool {
        switch self {
        case .account, .disabledAccount, .wipePeriodOffline, .offline: true
        default: false
        }
    }

    /// Whether the check measures time without a check-in.
    public var isOffline: Bool { self == .offline || self == .wipePeriodOffline }

    /// Returns the check's position among findings of the same severity; an unknown check comes last.
    static func place(of name: String) -> Int {
        allCases.firstIndex { $0.rawValue.utf8.elementsEqual(name.utf8) } ?? allCases.count
    }
}
