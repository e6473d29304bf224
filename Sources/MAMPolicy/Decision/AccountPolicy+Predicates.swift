extension AccountPolicy {
    /// Evaluates a predicate; docs/properties.md "Enforced".
    public func decide(_ predicate: Predicate, device: DeviceFacts) -> Decision {
        guard let policy else { return .allowed }
        switch predicate {
        case .pickerExport, .pickerMove:
            return saveTo(.other, .unknown, action: predicate.refusedAction)
        default:
            return Decision(
                policy.refusal(
                    RefusalQuery(action: predicate.refusedAction, settings: predicate.settings) { rules in
                        rules.allows(predicate, device: device)
                    }))
        }
    }
}

extension DecisionRules {
    /// Returns whether a predicate is allowed or, for requirements, not required.
    func allows(_ predicate: Predicate, device: DeviceFacts) -> Bool {
        switch predicate {
        case .pinRequired: pin == .notRequired || (pin == .unlessDeviceLockIsOn && device.lock == .on)
        case .managedBrowserRequired: !isManagedBrowserRequired
        case .contactSync: isContactSyncAllowed
        case .widgetContentSync: isWidgetContentSyncAllowed
        case .indexing, .assistantIntents, .appIntents: outbound == .allApps
        case .appSharing: outbound != .none
        case .fileEncryptionRequired: !isEncryptionRequired
        case .fileProviderEncrypt: !isEncryptionRequired || outbound == .allApps
        case .screenCapture: isScreenCaptureAllowed
        case .print: isPrintAllowed
        case .backup: isBackupAllowed
        case .thirdPartyKeyboards: areThirdPartyKeyboardsAllowed
        case .pickerImport, .pickerOpen: inbound == .allApps || (inbound == .managedApps && !isIngestionBlocked)
        case .pickerExport, .pickerMove: allowsSave(to: .other, .unknown)
        case .notification: notifications != .block
        case .notificationOrgData: notifications == .allow
        }
    }
}
