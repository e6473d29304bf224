import MAMSupport

/// The checks of the device's health, threat level, model and lock.
extension EffectivePolicy.MergedPolicy {
    func checkDevice(_ evaluation: inout LaunchEvaluation) {
        checkHealth(&evaluation)
        checkThreat(&evaluation)
        checkModel(&evaluation)
        checkLock(&evaluation)
    }

    private func checkHealth(_ evaluation: inout LaunchEvaluation) {
        guard settings.value(of: LaunchSetting.compliance) == true else { return }
        let against = evaluation.facts.health?.refusals ?? []
        guard evaluation.facts.health == nil || !against.isEmpty else { return }
        // Unknown signals are not certain enough to wipe.
        let isCertain = against.contains { $0.state == .fail } && !isMisread(LaunchSetting.compliance)
        let wanted = action(LaunchSetting.complianceAction) ?? .block
        let signals = against.prefix(8).map { reading in
            "\(ForeignText.bounded(reading.name, limit: 64)) (\(ForeignText.bounded(reading.detail.isEmpty ? reading.state.rawValue : reading.detail, limit: 80)))"
        }
        let found = signals.isEmpty ? "it was not examined" : signals.joined(separator: ", ")
        evaluation.add(
            .init(
                check: .deviceHealth, action: wanted == .wipe && !isCertain ? .block : wanted,
                setting: LaunchSetting.compliance, value: true,
                message: "The device is not compliant: \(found); \(clause(LaunchSetting.compliance, true))",
                policy: self))
    }

    private func checkThreat(_ evaluation: inout LaunchEvaluation) {
        let setting = LaunchSetting.threatLevel
        guard let value = settings.value(of: setting), let name = value.string, name != "notConfigured" else { return }
        let allowed = ThreatLevel(rawValue: name) ?? .secured
        let level = evaluation.facts.health?.threatLevel
        if let level, level <= allowed { return }
        // This check has no action "warn".
        let isWipe = action(LaunchSetting.threatAction) == .wipe && level != nil && !isMisread(setting)
        let found = level.map { "The device's threat level is \($0.rawValue)" } ?? "No threat level was reported"
        evaluation.add(
            .init(
                check: .threatLevel, action: isWipe ? .wipe : .block, setting: setting, value: value,
                message:
                    "\(found), where \(clause(setting, value)): have the device looked at by the threat defence program",
                policy: self))
    }

    private func checkModel(_ evaluation: inout LaunchEvaluation) {
        let setting = LaunchSetting.models
        let host = evaluation.facts.platform
        guard isOfPlatform(host), checksModels(of: host), let value = settings.value(of: setting),
            let models = value.array
        else { return }
        let model = evaluation.facts.model
        if let model {
            let folded = Identity.fold(model)
            if models.contains(where: {
                ($0.string?.utf8.count ?? -1) == folded.count && Identity.fold($0.string ?? "") == folded
            }) {
                return
            }
        }
        let wanted = action(LaunchSetting.modelAction) ?? .block
        let isCertain = model != nil && !isMisread(setting)
        let found = model.map { "The device is a \(ForeignText.quoted($0))" } ?? "Nobody knows what the device is"
        evaluation.add(
            .init(
                check: .deviceModel, action: wanted == .wipe && !isCertain ? .block : wanted, setting: setting,
                value: models.count > 32 ? .null : value,
                message: "\(found), which is not among the \(models.count) models of \(title): use one that is",
                policy: self))
    }

    /// Checks the lock that the policy requires, with the policy's action, and the lock that encryption requires. Android's
    /// encryption has its own keys: a policy that states that no lock is required needs none for encryption.
    private func checkLock(_ evaluation: inout LaunchEvaluation) {
        if settings.value(of: LaunchSetting.lockRequired) == true {
            let stated = action(LaunchSetting.lockAction) ?? .block
            let isGuess = stated == .wipe && isMisread(LaunchSetting.lockRequired)
            demandLock(LaunchSetting.lockRequired, isGuess ? .block : stated, &evaluation)
        }
        guard rules.isEncryptionRequired else { return }
        let encryption: PolicySetting = settings.restricts(by: .encryptionType) ? .encryptionType : .encryptAppData
        if encryption == .encryptAppData, settings.value(of: LaunchSetting.lockRequired) == false { return }
        demandLock(encryption.name, .block, &evaluation)
    }

    private func demandLock(_ setting: String, _ wanted: LaunchReport.Action, _ evaluation: inout LaunchEvaluation) {
        let value = settings.value(of: setting) ?? .null
        switch evaluation.facts.lock {
        case .on, .notApplicable: return
        case .off:
            evaluation.add(
                .init(
                    check: .deviceLock, action: wanted, setting: setting, value: value,
                    message: "The device has no lock, where \(clause(setting, value)): set one", policy: self))
        case .unknown:
            evaluation.add(
                .init(
                    check: .deviceLock, action: .warn, setting: setting, value: value,
                    message: "Nobody can tell whether the device has a lock, where \(clause(setting, value)): set one",
                    policy: self))
        }
    }
}
