/// Whether the app has a policy where its settings ask for one: MAMPolicyRequired and MAMPolicyWarnAbsent.
///
/// Mirrors the launch of the original; semantics.md 1.13 and 3.
public struct PolicyPresence: Sendable {
    /// Whether an account of the app has a policy.
    public let hasPolicy: Bool
    /// MAMPolicyRequired.
    public let isRequired: Bool
    /// MAMPolicyWarnAbsent.
    public let warnsAbsent: Bool
    /// AutoEnrollOnLaunch.
    public let enrollsOnLaunch: Bool
    /// How the enrollment at this launch ended; nil where none was tried.
    public let attempt: EnrollmentStatus?

    /// What the settings say and the launch has found.
    public init(
        hasPolicy: Bool, isRequired: Bool, warnsAbsent: Bool, enrollsOnLaunch: Bool, attempt: EnrollmentStatus?
    ) {
        self.hasPolicy = hasPolicy
        self.isRequired = isRequired
        self.warnsAbsent = warnsAbsent
        self.enrollsOnLaunch = enrollsOnLaunch
        self.attempt = attempt
    }

    /// What is wrong with it; both settings are told where both are set.
    public var findings: [LaunchReport.Finding] {
        guard !hasPolicy else { return [] }
        var findings: [LaunchReport.Finding] = []
        if isRequired {
            findings.append(
                .init(
                    check: LaunchCheck.policyRequired.rawValue, action: .block, setting: "MAMPolicyRequired",
                    message: "No policy manages this app, and it may not be used without one. \(advice)"))
        }
        if warnsAbsent {
            findings.append(
                .init(
                    check: LaunchCheck.policyAbsent.rawValue, action: .warn, setting: "MAMPolicyWarnAbsent",
                    message: "No policy manages this app: nothing restricts its data. \(advice)"))
        }
        return findings
    }

    private var advice: String {
        if let attempt, !attempt.code.isSuccess {
            return "Enrolling ended with \(attempt.code.rawValue) \(attempt.code.name): \(attempt.message)"
        }
        if let attempt, attempt.code == .noPolicyReceived { return attempt.message }
        if enrollsOnLaunch { return "Sign in with an account that is managed." }
        return "Enroll an account that is managed, or let launch do it with the setting AutoEnrollOnLaunch."
    }
}
