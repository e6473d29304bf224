import MAMSupport

/// The messages of launch checks and of requirements for PINs.
extension MessageKey {
    /// The message of a finding; `check` is nil for one that this release does not know.
    init(_ check: LaunchCheck?, _ action: LaunchReport.Action) {
        guard action != .wipe else {
            self =
                switch check {
                case .pin: .pinUsedUpRemoved
                case .disabledAccount: .launchDisabledRemoved
                case .wipe: .launchWipe
                default: .launchRemoved
                }
            return
        }
        self =
            switch check {
            case .library: .launchLibrary
            case .policyRequired: .launchPolicyRequired
            case .wipe: .launchWipe
            case .account, nil: .launchAccount
            case .deviceHealth: .launchDeviceHealth
            case .disabledAccount: .launchDisabledAccount
            case .threatLevel: .launchThreatLevel
            case .deviceModel: .launchDeviceModel
            case .sdkVersion: .launchSdkVersion
            case .appVersion: .launchAppVersion
            case .osVersion: .launchOsVersion
            case .wipePeriodOffline: .launchOfflineWipe
            case .offline: .launchOffline
            case .clockedOut: .launchClockedOut
            case .deviceLock: .launchDeviceLock
            case .pin: .pinEnter
            case .credentials: .launchCredentials
            case .policyAbsent: .launchPolicyAbsent
            }
    }
}

extension PINViolation {
    /// The message for the person, and the number in it.
    public var userMessage: (key: MessageKey, number: Int?) {
        switch self {
        case .tooShort(let minimum): (.pinTooShort, minimum)
        case .notDigits: (.pinNotDigits, nil)
        case .noLetterOrSpecial: (.pinNoLetterOrSpecial, nil)
        case .noDigit: (.pinNoDigit, nil)
        case .noLetter: (.pinNoLetter, nil)
        case .noSpecial: (.pinNoSpecial, nil)
        case .simple: (.pinSimple, nil)
        case .usedBefore: (.pinUsedBefore, nil)
        }
    }
}
