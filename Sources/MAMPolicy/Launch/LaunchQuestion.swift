import MAMSupport

/// The next question of a launch to the person, about one account.
public enum LaunchQuestion: Sendable, Equatable {
    /// `authenticate` with biometrics, in place of the PIN.
    case biometrics
    /// `pin`, after signing in if all attempts are used up.
    case pin
    /// `authenticate` with credentials.
    case credentials
}

extension LaunchReport.Account {
    /// Whether the account has been offline for so long that the launch starts with a check-in.
    public var wantsCheckIn: Bool {
        findings.contains { $0.known?.isOffline ?? false }
    }

    /// Whether the launch wipes the account.
    public var wipes: Bool { findings.contains { $0.action == .wipe } }

    /// Returns the findings that a launch reports. For an account that is not in use these are only wipes and blocks: nobody is
    /// asked or warned before switching to it.
    public func reported(isInUse: Bool) -> [LaunchReport.Finding] {
        findings.filter { isInUse || $0.action == .wipe || $0.action == .block }
    }

    /// Returns the next question to the person; nil if there is none, or if the account is blocked anyway. `acceptsBiometrics`:
    /// biometrics may replace a PIN that is to be entered.
    public func question(acceptsBiometrics: Bool) -> LaunchQuestion? {
        guard !findings.contains(where: { $0.action == .block }) else { return nil }
        let checks = findings.filter { $0.action == .prompt }.map(\.check)
        if checks.contains(LaunchCheck.pin.rawValue) { return pin == .enter && acceptsBiometrics ? .biometrics : .pin }
        return checks.contains(LaunchCheck.credentials.rawValue) ? .credentials : nil
    }
}

extension LaunchFacts.PINPrompt {
    /// Derives the prompt from the PIN's state; `isEntered`: the PIN, or biometrics in its place, was shown and is still valid.
    public init(_ state: PINStatus.State, isEntered: Bool) {
        switch state {
        case .notRequired: self = .nothing
        case .notSet: self = .set
        case .set: self = isEntered ? .nothing : .enter
        case .expired, .tooWeak: self = .change
        case .exhausted: self = .signIn
        }
    }
}
