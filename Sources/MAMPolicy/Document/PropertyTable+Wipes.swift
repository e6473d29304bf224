/// A property that can wipe an account, with the condition and the way to choose another outcome.
struct WipingProperty: Sendable {
    let name: String
    /// The launch check whose finding wipes.
    let check: LaunchCheck
    /// The condition, to follow "wipes the account ".
    let trigger: String
    /// The way to choose another outcome.
    let choice: String
    /// The device health signals that each wipe, for a property about device health.
    var signals: [DeviceSignal] = []

    /// Whether only a later decision of the organisation about the user or device can cause the wipe.
    var awaitsDecision: Bool { check == .disabledAccount || check == .wipe }

    /// The warning of `mam_policy_lint`.
    var message: String { "wipes the account \(trigger). To choose otherwise: \(choice)" }
}

extension PropertyTable {
    /// The properties that can wipe an account, by themselves or with the authority's refusal. No other property can.
    static let wipes: [WipingProperty] =
        [
            WipingProperty(
                name: LaunchSetting.complianceAction, check: .deviceHealth,
                trigger:
                    "where any signal of the device's health fails that counts: \(counting), or one that the host reports "
                    + "or device.health.require names",
                choice: "\(blockInstead); device.health.ignore of mam_open switches signals off by name, "
                    + "device.health.allowedLibraries allows libraries",
                signals: DeviceSignal.allCases.filter(\.countsByDefault)),
            WipingProperty(
                name: LaunchSetting.threatAction, check: .threatLevel,
                trigger: "where the host reports a threat level above \(LaunchSetting.threatLevel)",
                choice: "block; a warning is not among the actions of this check"),
            WipingProperty(
                name: LaunchSetting.modelAction, check: .deviceModel,
                trigger: "where the device is of a model that \(LaunchSetting.models) does not list",
                choice: "\(blockInstead), or list the model"),
            WipingProperty(
                name: LaunchSetting.lockAction, check: .deviceLock,
                trigger: "where the device has no lock (device.lock of mam_open, a host's report, logind)",
                choice: blockInstead),
            WipingProperty(
                name: LaunchSetting.disabledAction, check: .disabledAccount,
                trigger: "where the organisation has disabled the user", choice: "block; absent does nothing"),
            WipingProperty(
                name: LaunchSetting.pinAction, check: .pin,
                trigger: "when the attempts of maximumPinRetries at the PIN are used up",
                choice: "block, which has the person sign in and choose another PIN"),
            WipingProperty(
                name: LaunchSetting.offlineWipe, check: .wipe,
                trigger:
                    "that was without a check-in for this long, when the organisation refuses it then: a user who was "
                    + "removed or disabled",
                choice: "PT0S, which never wipes; where it is absent, P90D holds"),
        ] + versions

    /// The names of these properties.
    static let wiping = Set(wipes.map(\.name))

    private static let blockInstead = "block or warn"

    /// The names of the signals that count by default.
    private static let counting = DeviceSignal.allCases.filter(\.countsByDefault).map { signal in
        switch signal {
        case .injectedLibraries:
            "injectedLibraries (an LD_PRELOAD, LD_AUDIT or ld.so.preload that is not allowed)"
        default: signal.rawValue
        }
    }.joined(separator: ", ")

    private static let versions: [WipingProperty] =
        [
            (VersionBound.system, LaunchCheck.osVersion), (VersionBound.app, .appVersion),
            (VersionBound.sdk, .sdkVersion),
        ]
        .flatMap { bounds, check in
            bounds.filter { $0.action == .wipe }.map { bound in
                WipingProperty(
                    name: bound.setting, check: check,
                    trigger: "where the version of \(check.thing) is \(bound.isMaximum ? "above" : "below") it",
                    choice: "\(bound.setting.replacingWipe), which blocks")
            }
        }
}

extension LaunchCheck {
    /// The product whose version the check compares.
    var thing: String {
        switch self {
        case .osVersion: "the system"
        case .appVersion: "the app"
        default: "libmam"
        }
    }
}

extension String {
    /// The name of the bound that blocks.
    fileprivate var replacingWipe: String {
        let end = utf8.starts(with: "minimum".utf8) || utf8.starts(with: "maximum".utf8) ? 7 : 0
        return "\(prefix(end))Required\(dropFirst(end + 4))"
    }
}
