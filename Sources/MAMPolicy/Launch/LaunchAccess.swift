import MAMSupport

/// What a person has to show: credentials, and the timers of what was shown.
extension EffectivePolicy.Part {
    func checkAccess(_ look: inout LaunchLook) {
        guard !look.facts.hasSignedIn else { return }
        let isAsked = settings.value(of: LaunchSetting.credentials) == true
        guard isAsked || look.facts.mustSignIn && offlineWipe != nil else { return }
        let setting = isAsked ? LaunchSetting.credentials : LaunchSetting.offlineWipe
        let value = settings.value(of: setting) ?? .string(offlineWipe?.iso8601 ?? "")
        look.add(
            .init(
                check: .credentials, action: .prompt, setting: setting, value: value,
                message: "The person has to sign in, where \(clause(setting, value))", part: self))
    }
}

extension EffectivePolicy {
    /// After how long without use a person is asked again: the shortest of periodOnlineBeforeAccessCheck.
    public var recheckPeriod: TimeSpan {
        parts.map { $0.span(LaunchSetting.recheck) ?? LaunchSetting.standardRecheck }.min() ?? .seconds(0)
    }

    /// Whether it can ask a person for something at a launch.
    public var asksPerson: Bool {
        parts.contains { part in
            part.settings.isTrue(.pinRequired) || part.settings.value(of: LaunchSetting.credentials) == true
        }
    }

    /// After how long without a check-in the person signs in; nil for never, and where no policy is known.
    public var offlineWipePeriod: TimeSpan? { parts.compactMap(\.offlineWipe).min() }

    /// After how long the authority's refusal wipes: the same, but for a period that was not understood, which only blocks.
    public var certainWipePeriod: TimeSpan? {
        parts.filter { !$0.isMisread(LaunchSetting.offlineWipe) }.compactMap(\.offlineWipe).min()
    }

    /// Whether biometrics may stand in for a PIN that was shown: no policy refuses every kind of them.
    public var allowsBiometrics: Bool {
        !isLockDown
            && parts.allSatisfy { part in
                let blocks = { (setting: String) in part.settings.value(of: setting) == true }
                return !blocks("biometricAuthenticationBlocked") && !blocks("fingerprintBlocked")
                    && !blocks("faceIdBlocked")
            }
    }

    /// After how long the PIN is asked for in place of biometrics; nil for never.
    public var biometricTimeout: TimeSpan? { parts.compactMap { $0.span(LaunchSetting.biometricTimeout) }.min() }
}
