import MAMSupport

/// The check of working time.
extension EffectivePolicy.MergedPolicy {
    func checkWork(_ evaluation: inout LaunchEvaluation) {
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
                message: "\(found), where \(clause(setting, value)): clock in", policy: self))
    }

    /// Limits `validity` to the time at which the clock alone changes the finding of this check.
    func endWork(_ facts: LaunchFacts, _ validity: inout FindingsValidity) {
        if case .clockedOut(let span) = facts.work, let grace = self.span(LaunchSetting.clockedOutGrace) {
            validity.end(above: grace, from: span)
        }
    }
}
