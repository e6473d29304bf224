import MAMSupport

/// The checks of the device: its health, how threatened it is, what it is, and its lock.
extension EffectivePolicy.Part {
    func checkDevice(_ look: inout LaunchLook) {
        checkHealth(&look)
        checkThreat(&look)
        checkModel(&look)
        checkLock(&look)
    }

    private func checkHealth(_ look: inout LaunchLook) {
        guard settings.value(of: LaunchSetting.compliance) == true else { return }
        let against = look.facts.health?.refusals ?? []
        guard look.facts.health == nil || !against.isEmpty else { return }
        // What cannot be told is no ground to remove anything.
        let isCertain = against.contains { $0.state == .fail } && !isMisread(LaunchSetting.compliance)
        let wanted = action(LaunchSetting.complianceAction) ?? .block
        let signals = against.prefix(8).map { reading in
            "\(Line.bounded(reading.name, limit: 64)) (\(Line.bounded(reading.detail.isEmpty ? reading.state.rawValue : reading.detail, limit: 80)))"
        }
        let found = signals.isEmpty ? "nobody has looked at it" : signals.joined(separator: ", ")
        look.add(
            .init(
                check: .deviceHealth, action: wanted == .wipe && !isCertain ? .block : wanted,
                setting: LaunchSetting.compliance, value: true,
                message: "The device is not compliant: \(found); \(clause(LaunchSetting.compliance, true))",
                part: self))
    }

    private func checkThreat(_ look: inout LaunchLook) {
        let setting = LaunchSetting.threatLevel
        guard let value = settings.value(of: setting), let name = value.string, name != "notConfigured" else { return }
        let allowed = ThreatLevel(rawValue: name) ?? .secured
        let level = look.facts.health?.threatLevel
        if let level, level <= allowed { return }
        // A warning is not among the actions of this check.
        let isWipe = action(LaunchSetting.threatAction) == .wipe && level != nil && !isMisread(setting)
        let found = level.map { "The device's threat level is \($0.rawValue)" } ?? "No threat level was reported"
        look.add(
            .init(
                check: .threatLevel, action: isWipe ? .wipe : .block, setting: setting, value: value,
                message:
                    "\(found), where \(clause(setting, value)): have the device looked at by the threat defence program",
                part: self))
    }

    private func checkModel(_ look: inout LaunchLook) {
        let setting = LaunchSetting.models
        let host = look.facts.platform
        guard isOfPlatform(host), checksModels(of: host), let value = settings.value(of: setting),
            let models = value.array
        else { return }
        let model = look.facts.model
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
        let found = model.map { "The device is a \(Line.quoted($0))" } ?? "Nobody knows what the device is"
        look.add(
            .init(
                check: .deviceModel, action: wanted == .wipe && !isCertain ? .block : wanted, setting: setting,
                value: models.count > 32 ? .null : value,
                message: "\(found), which is not among the \(models.count) models of \(title): use one that is",
                part: self))
    }

    /// Encryption asks for a lock, where the device has one; and so may the policy itself, which says what follows. Android's
    /// encryption has keys of its own: a policy that says that it demands no lock demands none for it.
    private func checkLock(_ look: inout LaunchLook) {
        if settings.value(of: LaunchSetting.lockRequired) == true {
            let stated = action(LaunchSetting.lockAction) ?? .block
            let isGuess = stated == .wipe && isMisread(LaunchSetting.lockRequired)
            demandLock(LaunchSetting.lockRequired, isGuess ? .block : stated, &look)
        }
        guard rules.isEncryptionRequired else { return }
        let encryption: PolicySetting = settings.restricts(by: .encryptionType) ? .encryptionType : .encryptAppData
        if encryption == .encryptAppData, settings.value(of: LaunchSetting.lockRequired) == false { return }
        demandLock(encryption.name, .block, &look)
    }

    private func demandLock(_ setting: String, _ wanted: LaunchReport.Action, _ look: inout LaunchLook) {
        let value = settings.value(of: setting) ?? .null
        switch look.facts.lock {
        case .on, .notApplicable: return
        case .off:
            look.add(
                .init(
                    check: .deviceLock, action: wanted, setting: setting, value: value,
                    message: "The device has no lock, where \(clause(setting, value)): set one", part: self))
        case .unknown:
            look.add(
                .init(
                    check: .deviceLock, action: .warn, setting: setting, value: value,
                    message: "Nobody can tell whether the device has a lock, where \(clause(setting, value)): set one",
                    part: self))
        }
    }
}
