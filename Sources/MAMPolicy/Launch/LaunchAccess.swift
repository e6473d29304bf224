import MAMSupport

/// The check of credentials, and the timers of authentications.
extension EffectivePolicy.MergedPolicy {
    func checkAccess(_ evaluation: inout LaunchEvaluation) {
        guard !evaluation.facts.hasSignedIn else { return }
        let isAsked = settings.value(of: LaunchSetting.credentials) == true
        guard isAsked || passesWipePeriod(evaluation.facts.overdue) else { return }
        let setting = isAsked ? LaunchSetting.credentials : LaunchSetting.offlineWipe
        let value = settings.value(of: setting) ?? .string(offlineWipe?.iso8601 ?? "")
        evaluation.add(
            .init(
                check: .credentials, action: .prompt, setting: setting, value: value,
                message: "The person has to sign in, where \(clause(setting, value))", policy: self))
    }

    private func passesWipePeriod(_ overdue: TimeSpan?) -> Bool {
        guard let overdue, let period = offlineWipe else { return false }
        return overdue > period
    }
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

    /// The time without a check-in after which the person must sign in; nil for never, and without a known policy.
    public var offlineWipePeriod: TimeSpan? { policies.compactMap(\.offlineWipe).min() }

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

    /// Returns whether the person must sign in after this long without a check-in.
    public func mustSignIn(after passed: TimeSpan) -> Bool { offlineWipePeriod.map { passed > $0 } ?? false }

    /// Returns whether biometrics may replace the PIN now: after a PIN was entered, until the policy's timeout.
    public func acceptsBiometrics(_ access: AccessRecord?, at now: ClockReading) -> Bool {
        guard allowsBiometrics, let access else { return false }
        return !access.requiresPIN(after: biometricTimeout ?? TimeSpan(milliseconds: .max), at: now)
    }
}
