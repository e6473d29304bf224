import MAMSupport

/// Wipes that do not depend on the device: the last PIN attempt, and the authority's refusal after the wipe period.
extension EffectivePolicy {
    /// Returns the finding after this many wrong PINs; nil if they do not wipe the account.
    public func pinWipe(
        after failures: Int,
        _ message: String = "Every attempt at the PIN was used up: the account is wiped in this app."
    ) -> LaunchReport.Finding? {
        guard let rule = pinRule, rule.wipes(after: failures) else { return nil }
        return wipe(.pin, LaunchSetting.pinAction, message, policies.first { PINRule($0)?.wipeAfter == rule.wipeAfter })
    }

    /// Returns the finding when the authority refuses an account after this long without a check-in; nil if that does not wipe
    /// the account. `passed` must not depend on a wrong clock: ``OfflineTimer/elapsedIfClockIsRight(at:)``.
    public func refusalWipe(after passed: TimeSpan) -> LaunchReport.Finding? {
        guard let period = understoodWipePeriod, passed > period else { return nil }
        return wipe(
            .wipe, LaunchSetting.offlineWipe, "The authority refuses the account after its wipe period",
            policies.first { $0.offlineWipe == period && !$0.isMisread(LaunchSetting.offlineWipe) })
    }

    private func wipe(_ check: LaunchCheck, _ setting: String, _ message: String, _ policy: MergedPolicy?)
        -> LaunchReport.Finding
    {
        LaunchReport.Finding(
            check: check.rawValue, action: .wipe, setting: setting, message: message,
            value: policy.flatMap { $0.settings.value(of: setting) } ?? .null, policyId: policy?.id,
            policyName: policy?.name)
    }
}

extension PINRule {
    /// Returns whether this many wrong PINs wipe the account.
    public func wipes(after failures: Int) -> Bool { wipeAfter.map { failures >= $0 } ?? false }
}
