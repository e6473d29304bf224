import MAMSupport

extension PropertyDefinition {
    /// Returns the value in force in a policy that does not set the property; nil if that restricts nothing. `stated` returns
    /// the policy's other values.
    func absent(beside stated: (String) -> JSON? = { _ in nil }) -> JSON? {
        if setting == .widgetContentSync {
            return .bool((stated(PolicySetting.outbound.name) ?? PolicySetting.outbound.neutral) == "allApps")
        }
        if let setting { return setting.neutral }
        return switch name {
        case "periodOfflineBeforeAccessCheck": "PT12H"
        case "periodOfflineBeforeWipeIsEnforced": "P90D"
        case "periodOnlineBeforeAccessCheck": "PT30M"
        case "maximumPinRetries": 5
        case "minimumPinLength": 4
        case "gracePeriodToBlockAppsDuringOffClockHours": "PT0S"
        case "mobileThreatDefenseRemediationAction": "block"
        default: conditions != nil && name.utf8.starts(with: "appActionIf".utf8) ? "block" : nil
        }
    }

    /// The properties that enable this one; nil if it is always effective. Policies that restrict by none of them do not take
    /// part in its merge.
    var conditions: [String]? {
        if let conditions = setting?.conditions { return conditions.map(\.name) }
        return switch name {
        case "maximumPinRetries", "appActionIfMaximumPinRetriesExceeded", "simplePinBlocked", "minimumPinLength",
            "pinCharacterSet", "periodBeforePinReset", "previousPinBlockCount":
            ["pinRequired"]
        case "appActionIfDeviceComplianceRequired": ["deviceComplianceRequired"]
        case "appActionIfDeviceLockNotSet": ["deviceLockRequired"]
        case "appActionIfIosDeviceModelNotAllowed": ["allowedIosDeviceModels"]
        case "mobileThreatDefenseRemediationAction": ["maximumAllowedDeviceThreatLevel"]
        case "gracePeriodToBlockAppsDuringOffClockHours": ["appActionIfAccountIsClockedOut"]
        default: nil
        }
    }

    /// Returns whether a policy enables this property.
    func isSwitchedOn(in settings: PolicySettings) -> Bool {
        conditions?.contains { name in
            PropertyTable.read(name).map { !$0.isOff(settings.value(of: name)) } ?? false
        } ?? true
    }

    /// Returns whether a value restricts nothing. nil stands for a policy that does not set the property.
    func isOff(_ value: JSON?) -> Bool {
        guard let kind, let value = value ?? absent() else { return true }
        switch kind {
        case .flag, .level, .number, .minimumVersion, .maximumVersion, .span(zeroIsOff: true):
            guard let rank = kind.rank(value), let least = neutral.flatMap(kind.rank) else { return false }
            return !least.lexicographicallyPrecedes(rank)
        case .span, .allowOnly, .exceptions: return false
        case .text, .scheme: return value.isNull
        }
    }
}
