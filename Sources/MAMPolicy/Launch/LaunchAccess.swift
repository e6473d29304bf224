import MAMSupport

/// The check of credentials, and the timers of authentications.
extension EffectivePolicy.MergedPolicy {
    func checkAccess(_ evaluation: inout LaunchEvaluation) {
        guard !evaluation.facts.hasSignedIn else { return }
        let isAsked = settings.value(of: LaunchSetting.credentials) == true
        guard isAsked || evaluation.facts.overdue.map(passesWipePeriod) ?? false else { return }
        let setting = isAsked ? LaunchSetting.credentials : LaunchSetting.offlineWipe
        let value = settings.value(of: setting) ?? .string(offlineWipe?.iso8601 ?? "")
        evaluation.add(
            .init(
                check: .credentials, action: .prompt, setting: setting, value: value,
                message: "The person has to sign in, where \(clause(setting, value))", policy: self))
    }

    fileprivate func passesWipePeriod(_ passed: TimeSpan) -> Bool { offlineWipe.map { passed > $0 } ?? false }
}

extension EffectivePolicy {
    /// The time without use after which authentications expire: the shortest periodOnlineBeforeAccessCheck.
    public var recheckPeriod: TimeSpan {
        policies.map { $0.span(LaunchSetting.recheck) ?? LaunchSetting.standardRecheck }.min() ?? .seconds(0)
    }

    /// Whether a launch can ask the person to authenticate.
    public var asksPerson: Bool {
        policies.contains { policy in
            policy.settings.isTrue(.pinRequired) || policy.settings.value(of: LaunchSetting.credentials) == true
        }
    }

    /// The time without a check-in after which the authority's refusal wipes the account. A period that was not understood
    /// blocks, but does not count here.
    public var understoodWipePeriod: TimeSpan? {
        policies.filter { !$0.isMisread(LaunchSetting.offlineWipe) }.compactMap(\.offlineWipe).min()
    }

    /// Whether biometrics may replace a PIN that was entered: no policy blocks any kind of them.
    public var allowsBiometrics: Bool {
        !isLockDown
            && policies.allSatisfy { policy in
                let blocks = { (setting: String) in policy.settings.value(of: setting) == true }
                return !blocks("biometricAuthenticationBlocked") && !blocks("fingerprintBlocked")
                    && !blocks("faceIdBlocked")
            }
    }

    /// The time after which the PIN is required in place of biometrics; nil for never.
    public var biometricTimeout: TimeSpan? { policies.compactMap { $0.span(LaunchSetting.biometricTimeout) }.min() }

    /// Returns the longest time without a check-in for which the person must sign in: this one if it passes a wipe period, and
    /// the `former` one.
    public func overdue(after passed: TimeSpan, former: TimeSpan?) -> TimeSpan? {
        guard policies.contains(where: { $0.passesWipePeriod(passed) }) else { return former }
        return max(former ?? passed, passed)
    }

    /// Returns whether biometrics may replace the PIN now: after a PIN was entered, until the policy's timeout.
    public func acceptsBiometrics(_ access: AccessRecord?, at now: ClockReading) -> Bool {
        guard allowsBiometrics, let access else { return false }
        return !access.requiresPIN(after: biometricTimeout ?? TimeSpan(milliseconds: .max), at: now)
    }
}
