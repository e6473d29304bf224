import MAMSupport

/// The check of the time without a check-in, which ``OfflineTimer`` measures.
extension EffectivePolicy.MergedPolicy {
    /// The time that an account may be without a check-in.
    var offlineGrace: TimeSpan { span(LaunchSetting.offlineGrace) ?? LaunchSetting.standardGrace }

    /// The time without a check-in after which a wipe is enforced; nil for never.
    var offlineWipe: TimeSpan? {
        let period = span(LaunchSetting.offlineWipe) ?? LaunchSetting.standardWipe
        return period > .seconds(0) ? period : nil
    }

    /// Checks the time without a check-in. Time alone never wipes: it blocks until the authority answers, and only the
    /// authority's refusal wipes.
    func checkOffline(_ evaluation: inout LaunchEvaluation) {
        guard !evaluation.facts.isOnline else { return }
        let passed = evaluation.facts.timeSinceCheckIn
        func report(_ check: LaunchCheck, _ setting: String, _ period: TimeSpan, _ remedy: String) {
            let since = passed.map { "for \($0.roughly)" } ?? "ever"
            let value = settings.value(of: setting) ?? .string(period.iso8601)
            evaluation.add(
                .init(
                    check: check, action: .block, setting: setting, value: value,
                    message: "No check-in \(since), where \(clause(setting, value)): \(remedy)", policy: self))
        }
        if let period = offlineWipe, passed.map({ $0 > period }) ?? true {
            report(
                .wipePeriodOffline, LaunchSetting.offlineWipe, period,
                "connect to the organisation and sign in; if it refuses the account, its data is removed")
        }
        if passed.map({ $0 > offlineGrace }) ?? true {
            report(.offline, LaunchSetting.offlineGrace, offlineGrace, "connect to the organisation")
        }
    }

    /// Limits `validity` to the time at which the clocks alone change the findings of this check.
    func endOffline(_ facts: LaunchFacts, _ validity: inout FindingsValidity) {
        if let passed = facts.timeSinceCheckIn {
            validity.end(above: offlineGrace, from: passed)
            if let period = offlineWipe { validity.end(above: period, from: passed) }
            validity.endWithMinute(of: passed)
        }
    }
}

extension TimeSpan {
    /// The time in whole days, hours or minutes, for a person.
    fileprivate var roughly: String {
        func count(_ unit: Int64, _ name: String) -> String? {
            let number = milliseconds / unit
            return number > 0 ? "\(number) \(name)\(number == 1 ? "" : "s")" : nil
        }
        return count(86_400_000, "day") ?? count(3_600_000, "hour") ?? count(60_000, "minute") ?? "a moment"
    }
}
