import MAMSupport

/// The thing that a launch asks a person for next, about one account.
public enum LaunchQuestion: Sendable, Equatable {
    /// `authenticate` with biometrics, in the place of the PIN.
    case biometrics
    /// `pin`; signing in first, where every attempt is used up.
    case pin
    /// `authenticate` with credentials.
    case credentials
}

extension LaunchReport.Account {
    /// Whether the account has been offline for so long that a launch checks it in before anything else.
    public var wantsCheckIn: Bool {
        findings.contains { $0.known?.isOffline ?? false }
    }

    /// Whether a launch wipes the account for what was found.
    public var wipes: Bool { findings.contains { $0.action == .wipe } }

    /// The findings that a launch reports: of an account that is not in use those alone that wipe or block, because nobody is
    /// asked for it, or warned, before it is switched to.
    public func reported(isInUse: Bool) -> [LaunchReport.Finding] {
        findings.filter { isInUse || $0.action == .wipe || $0.action == .block }
    }

    /// What the person is asked for; nil for nothing. Nobody is asked while the account is blocked anyway. `acceptsBiometrics`:
    /// they may stand in for a PIN that is there to be entered.
    public func question(acceptsBiometrics: Bool) -> LaunchQuestion? {
        guard !findings.contains(where: { $0.action == .block }) else { return nil }
        let checks = findings.filter { $0.action == .prompt }.map(\.check)
        if checks.contains(LaunchCheck.pin.rawValue) { return pin == .enter && acceptsBiometrics ? .biometrics : .pin }
        return checks.contains(LaunchCheck.credentials.rawValue) ? .credentials : nil
    }
}

extension LaunchFacts.PINDemand {
    /// By how the account stands with its PIN; `isShown`: it, or what may stand in for it, was shown, and that holds.
    public init(_ state: PINStanding.State, isShown: Bool) {
        switch state {
        case .notRequired: self = .nothing
        case .notSet: self = .set
        case .set: self = isShown ? .nothing : .enter
        case .expired, .tooWeak: self = .change
        case .exhausted: self = .signIn
        }
    }
}
