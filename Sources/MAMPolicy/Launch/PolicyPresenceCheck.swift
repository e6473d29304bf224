/// Checks that the app has a policy if its settings require one: MAMPolicyRequired and MAMPolicyWarnAbsent.
///
/// Mirrors the launch of the Intune App SDK.
public struct PolicyPresenceCheck: Sendable {
    /// Whether an account of the app has a policy.
    public let hasPolicy: Bool
    /// MAMPolicyRequired.
    public let isRequired: Bool
    /// MAMPolicyWarnAbsent.
    public let warnsAbsent: Bool
    /// AutoEnrollOnLaunch.
    public let enrollsOnLaunch: Bool
    /// The result of the enrollment at this launch; nil if none was attempted.
    public let attempt: EnrollmentStatus?

    /// Creates the check.
    public init(
        hasPolicy: Bool, isRequired: Bool, warnsAbsent: Bool, enrollsOnLaunch: Bool, attempt: EnrollmentStatus?
    ) {
        self.hasPolicy = hasPolicy
        self.isRequired = isRequired
        self.warnsAbsent = warnsAbsent
        self.enrollsOnLaunch = enrollsOnLaunch
        self.attempt = attempt
    }

    /// The findings: one for each of the two settings.
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
