import MAMSupport

/// The names of the properties that launch checks evaluate; docs/launch.md.
enum LaunchSetting {
    static let offlineGrace = "periodOfflineBeforeAccessCheck"
    static let offlineWipe = "periodOfflineBeforeWipeIsEnforced"
    static let recheck = "periodOnlineBeforeAccessCheck"
    static let compliance = "deviceComplianceRequired"
    static let complianceAction = "appActionIfDeviceComplianceRequired"
    static let lockRequired = "deviceLockRequired"
    static let lockAction = "appActionIfDeviceLockNotSet"
    static let models = "allowedIosDeviceModels"
    static let modelAction = "appActionIfIosDeviceModelNotAllowed"
    static let threatLevel = "maximumAllowedDeviceThreatLevel"
    static let threatAction = "mobileThreatDefenseRemediationAction"
    static let disabledAction = "appActionIfUnableToAuthenticateUser"
    static let clockedOutAction = "appActionIfAccountIsClockedOut"
    static let clockedOutGrace = "gracePeriodToBlockAppsDuringOffClockHours"
    static let credentials = "organizationalCredentialsRequired"
    static let pinAction = "appActionIfMaximumPinRetriesExceeded"
    static let biometricTimeout = "pinRequiredInsteadOfBiometricTimeout"

    /// The properties about operating systems and models of one platform.
    static let platformProperties =
        VersionBound.system.map(\.setting)
        + [models, "allowedAndroidDeviceModels", "allowedAndroidDeviceManufacturers"]

    /// Defaults for policies that do not set the period.
    static let standardGrace = TimeSpan.hours(12)
    static let standardWipe = TimeSpan.days(90)
    static let standardRecheck = TimeSpan.minutes(30)
}

extension EffectivePolicy.MergedPolicy {
    /// Returns the action of an action property; nil if it is absent. A value that was not understood blocks, but never wipes.
    func action(_ setting: String) -> LaunchReport.Action? {
        switch settings.value(of: setting)?.string {
        case nil: nil
        case "warn": .warn
        case "wipe" where !isMisread(setting): .wipe
        default: .block
        }
    }

    /// Returns whether the property's value was not understood.
    func isMisread(_ setting: String) -> Bool { misread.contains(setting) }

    func span(_ setting: String) -> TimeSpan? {
        settings.value(of: setting)?.string.flatMap(TimeSpan.init(iso8601:))
    }

    /// Returns a setting and its value in words.
    func clause(_ setting: String, _ value: JSON) -> String {
        "\(setting) is \(ForeignText.bounded(value.string ?? value.text, limit: 80)) in \(title)"
    }

    /// Returns whether the policy was written for the host's platform.
    func isOfPlatform(_ host: String) -> Bool {
        switch platform {
        case .unknown: true
        // The tenant default applies to both mobile platforms: its numbers are versions of their systems.
        case .default: ["ios", "android"].contains { $0.utf8.elementsEqual(host.utf8) }
        case .ios, .android, .windows, .linux: host.utf8.elementsEqual(platform.name.utf8)
        }
    }

    /// Returns whether the policy's models can be those of a host: iOS models, or a Linux host's in a Linux policy.
    func checksModels(of host: String) -> Bool { ["ios", "linux"].contains { $0.utf8.elementsEqual(host.utf8) } }

    /// Returns the checks of another platform's systems and models, and those of the host's platform that libmam does not
    /// implement.
    func notApplicable(on host: String) -> [LaunchReport.NotApplicable] {
        guard !isOfPlatform(host) else {
            let isMobile = platform == .android || platform == .default
            return platformProperties.filter { setting in
                isMobile && PropertyTable[setting]?.kind == nil
                    || setting == LaunchSetting.models && !checksModels(of: host)
            }.map { setting in
                LaunchReport.NotApplicable(
                    setting: setting, policyId: id, policyName: name,
                    message: "\(setting) of \(title) is not checked: libmam does not know models of \(host) devices")
            }
        }
        return platformProperties.map { setting in
            LaunchReport.NotApplicable(
                setting: setting, policyId: id, policyName: name,
                message:
                    "\(setting) of \(title) checks \(platform.hosts) hosts, not this one (\(ForeignText.bounded(host, limit: 40)))"
            )
        }
    }
}
