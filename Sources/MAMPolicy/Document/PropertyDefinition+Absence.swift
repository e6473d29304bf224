import MAMSupport

extension PropertyDefinition {
    /// What holds in a policy that does not state it; nil where that restricts nothing. `stated` are the policy's other
    /// properties.
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

    /// The properties without which this one means nothing: policies that restrict by none of them do not take part in its
    /// merge. nil where it stands alone.
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

    /// Whether a policy has on what this one needs to mean something.
    func isSwitchedOn(in settings: PolicySettings) -> Bool {
        conditions?.contains { name in
            PropertyTable.read(name).map { !$0.isOff(settings.value(of: name)) } ?? false
        } ?? true
    }

    /// Whether a value asks for nothing. nil is that of a policy that does not state the property.
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
