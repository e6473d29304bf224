/// What is looked at before data is shown, in the order of reports: docs/launch.md.
public enum LaunchCheck: String, Sendable, CaseIterable {
    /// Whether libmam could look at all.
    case library
    /// Whether there is a policy where the settings demand one.
    case policyRequired
    /// Whether the account is being wiped.
    case wipe
    /// Whether what is known of the account can be trusted.
    case account
    case deviceHealth, disabledAccount, threatLevel, deviceModel, sdkVersion, appVersion, osVersion
    /// Whether the period after which a wipe is enforced has passed without a check-in.
    case offlineWipe
    /// Whether the grace period has passed without a check-in.
    case offline
    case clockedOut
    case deviceLock
    case pin, credentials
    /// Whether there is a policy where the settings warn without one.
    case policyAbsent

    /// Whether what it finds is a fact of the account, so that it closes the account in every session of the app; what the
    /// others find is a fact of one session: its host, its device report, what persons have shown in it.
    public var isOfAccount: Bool {
        switch self {
        case .account, .disabledAccount, .offlineWipe, .offline: true
        default: false
        }
    }

    /// Whether it measures time without a check-in.
    public var isOffline: Bool { self == .offline || self == .offlineWipe }

    /// Where it stands among others of the same severity; a check that is not known comes last.
    static func place(of name: String) -> Int {
        allCases.firstIndex { $0.rawValue.utf8.elementsEqual(name.utf8) } ?? allCases.count
    }
}
