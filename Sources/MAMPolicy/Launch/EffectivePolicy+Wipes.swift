import MAMSupport

/// Wipes that no look at the device brings: the last attempt at a PIN, and the authority's refusal after the wipe period.
extension EffectivePolicy {
    /// What is found after so many wrong attempts at the PIN; nil where they wipe nothing.
    public func pinWipe(
        after failures: Int,
        _ message: String = "Every attempt at the PIN was used up: the account is wiped in this app."
    ) -> LaunchReport.Finding? {
        guard let rule = pinRule, rule.wipes(after: failures) else { return nil }
        return wipe(.pin, LaunchSetting.pinAction, message, parts.first { PINRule($0)?.wipeAfter == rule.wipeAfter })
    }

    /// What is found where the authority refuses an account that has been without a check-in for so long, by a clock that stands
    /// right; nil where that wipes nothing.
    public func refusalWipe(after passed: TimeSpan) -> LaunchReport.Finding? {
        guard let period = certainWipePeriod, passed > period else { return nil }
        return wipe(
            .wipe, LaunchSetting.offlineWipe, "The authority refuses the account after its wipe period",
            parts.first { $0.offlineWipe == period && !$0.isMisread(LaunchSetting.offlineWipe) })
    }

    private func wipe(_ check: LaunchCheck, _ setting: String, _ message: String, _ part: Part?) -> LaunchReport.Finding
    {
        LaunchReport.Finding(
            check: check.rawValue, action: .wipe, setting: setting, message: message,
            value: part.flatMap { $0.settings.value(of: setting) } ?? .null, policyId: part?.id, policyName: part?.name)
    }

    /// Whether so long a time without a check-in makes the person sign in once it is over.
    public func isOverdue(after passed: TimeSpan) -> Bool { offlineWipePeriod.map { passed > $0 } ?? false }

    /// Whether biometrics may stand in for the PIN now: one that was shown, until the policy's timeout.
    public func acceptsBiometrics(_ access: AccessRecord?, at now: ClockReading) -> Bool {
        guard allowsBiometrics, let access else { return false }
        return !access.demandsPIN(after: biometricTimeout ?? TimeSpan(milliseconds: .max), at: now)
    }
}

extension PINRule {
    /// Whether so many wrong attempts wipe the account.
    public func wipes(after failures: Int) -> Bool { wipeAfter.map { failures >= $0 } ?? false }
}
