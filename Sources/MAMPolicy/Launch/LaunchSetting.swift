import MAMSupport

/// The names of the properties that launches look at; docs/launch.md.
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

    /// Properties that are about the systems and models of one platform's hosts.
    static let ofPlatform =
        VersionBound.system.map(\.setting)
        + [models, "allowedAndroidDeviceModels", "allowedAndroidDeviceManufacturers"]

    /// Section 14: where a policy does not say.
    static let standardGrace = TimeSpan.hours(12)
    static let standardWipe = TimeSpan.days(90)
    static let standardRecheck = TimeSpan.minutes(30)
}

/// A bound that versions are held to.
struct VersionBound: Sendable {
    let setting: String
    let action: LaunchReport.Action
    let isMaximum: Bool

    /// Every bound of a thing, as Graph names them.
    private static func bounds(_ thing: String, maximum: Bool) -> [VersionBound] {
        let actions: [(String, LaunchReport.Action)] = [("Wipe", .wipe), ("Required", .block), ("Warning", .warn)]
        return actions.flatMap { word, action in
            [VersionBound(setting: "minimum\(word)\(thing)Version", action: action, isMaximum: false)]
                + (maximum
                    ? [VersionBound(setting: "maximum\(word)\(thing)Version", action: action, isMaximum: true)] : [])
        }
    }

    static let sdk = bounds("Sdk", maximum: false)
    static let app = bounds("App", maximum: false)
    static let system = bounds("Os", maximum: true)
}

extension EffectivePolicy.Part {
    /// What an action property comes to; nil where it is absent. What was not understood blocks: nothing is removed for it.
    func action(_ setting: String) -> LaunchReport.Action? {
        switch settings.value(of: setting)?.string {
        case nil: nil
        case "warn": .warn
        case "wipe" where !isMisread(setting): .wipe
        default: .block
        }
    }

    /// Whether what stands in the policy was not understood.
    func isMisread(_ setting: String) -> Bool { misread.contains(setting) }

    func span(_ setting: String) -> TimeSpan? {
        settings.value(of: setting)?.string.flatMap(TimeSpan.init(iso8601:))
    }

    /// A setting and its value, as messages name them.
    func clause(_ setting: String, _ value: JSON) -> String {
        "\(setting) is \(Line.bounded(value.string ?? value.text, limit: 80)) in \(title)"
    }

    /// Whether it was written for hosts like this one.
    func isOfPlatform(_ host: String) -> Bool {
        switch platform {
        case .unknown: true
        // Graph's tenant default is for both of its mobile platforms: its numbers are of their systems.
        case .default: ["ios", "android"].contains { $0.utf8.elementsEqual(host.utf8) }
        case .ios, .android, .windows, .linux: host.utf8.elementsEqual(platform.name.utf8)
        }
    }

    /// Whether the models in a policy can be those of a host: they are Apple's, or in a Linux policy its own.
    func checksModels(of host: String) -> Bool { ["ios", "linux"].contains { $0.utf8.elementsEqual(host.utf8) } }

    /// The checks of another platform's systems and models, and those of its own that libmam cannot make.
    func notApplicable(on host: String) -> [LaunchReport.NotApplicable] {
        guard !isOfPlatform(host) else {
            let isMobile = platform == .android || platform == .default
            return ofPlatform.filter { setting in
                isMobile && PropertyTable[setting]?.kind == nil
                    || setting == LaunchSetting.models && !checksModels(of: host)
            }.map { setting in
                LaunchReport.NotApplicable(
                    setting: setting, policyId: id, policyName: name,
                    message: "\(setting) of \(title) is not checked: libmam does not know models of \(host) devices")
            }
        }
        return ofPlatform.map { setting in
            LaunchReport.NotApplicable(
                setting: setting, policyId: id, policyName: name,
                message:
                    "\(setting) of \(title) checks \(platform.hosts) hosts, not this one (\(Line.bounded(host, limit: 40)))"
            )
        }
    }
}
