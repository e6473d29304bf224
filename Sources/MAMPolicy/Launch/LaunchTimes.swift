import MAMSupport

/// The checks of time: the time without a check-in, and working time.
extension EffectivePolicy.Part {
    func checkTimes(_ evaluation: inout LaunchEvaluation) {
        checkOffline(&evaluation)
        checkWork(&evaluation)
    }

    /// The time that an account may be without a check-in.
    var offlineGrace: TimeSpan { span(LaunchSetting.offlineGrace) ?? LaunchSetting.standardGrace }

    /// The time without a check-in after which a wipe is enforced; nil for never.
    var offlineWipe: TimeSpan? {
        let period = span(LaunchSetting.offlineWipe) ?? LaunchSetting.standardWipe
        return period > .seconds(0) ? period : nil
    }

    /// Checks the time without a check-in. Time alone never wipes: it blocks until the authority answers, and only the
    /// authority's refusal wipes.
    private func checkOffline(_ evaluation: inout LaunchEvaluation) {
        guard !evaluation.facts.isOnline else { return }
        let passed = evaluation.facts.offline
        func report(_ check: LaunchCheck, _ setting: String, _ period: TimeSpan, _ remedy: String) {
            let since = passed.map { "for \($0.roughly)" } ?? "ever"
            let value = settings.value(of: setting) ?? .string(period.iso8601)
            evaluation.add(
                .init(
                    check: check, action: .block, setting: setting, value: value,
                    message: "No check-in \(since), where \(clause(setting, value)): \(remedy)", part: self))
        }
        if let period = offlineWipe, passed.map({ $0 > period }) ?? true {
            report(
                .offlineWipe, LaunchSetting.offlineWipe, period,
                "connect to the organisation and sign in; if it refuses the account, its data is removed")
        }
        if passed.map({ $0 > offlineGrace }) ?? true {
            report(.offline, LaunchSetting.offlineGrace, offlineGrace, "connect to the organisation")
        }
    }

    /// Limits `validity` to the time at which the clocks alone change what these checks find.
    func endTimes(_ facts: LaunchFacts, _ validity: inout LaunchValidity) {
        if let passed = facts.offline {
            validity.end(above: offlineGrace, from: passed)
            if let period = offlineWipe { validity.end(above: period, from: passed) }
            validity.endWithMinute(of: passed)
        }
        if case .clockedOut(let span) = facts.work, let grace = self.span(LaunchSetting.clockedOutGrace) {
            validity.end(above: grace, from: span)
        }
    }

    private func checkWork(_ evaluation: inout LaunchEvaluation) {
        let setting = LaunchSetting.clockedOutAction
        guard let value = settings.value(of: setting), let stated = action(setting) else { return }
        // This check has no action "wipe".
        let wanted: LaunchReport.Action = stated == .warn ? .warn : .block
        let found: String
        var action = wanted
        switch evaluation.facts.work {
        case .working: return
        case .unknown: found = "Nobody has reported whether it is working time"
        case .clockedOut(let span):
            found = "The account is clocked out"
            if let grace = self.span(LaunchSetting.clockedOutGrace), span <= grace { action = .warn }
        }
        evaluation.add(
            .init(
                check: .clockedOut, action: action, setting: setting, value: value,
                message: "\(found), where \(clause(setting, value)): clock in", part: self))
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
