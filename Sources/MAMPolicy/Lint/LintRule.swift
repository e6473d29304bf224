import MAMSupport

/// A rule about combinations of settings: a setting, the condition under which it is wrong, and the consequence.
struct LintRule: Sendable {
    let setting: String
    let kind: LintFinding.Kind
    let severity: LintFinding.Severity
    let message: String
    /// Returns whether a policy that sets the setting, other than to its neutral value, breaks the rule.
    let isBroken: @Sendable (StatedValues) -> Bool

    static let all: [LintRule] = exceptions + pin + conditionalLaunch + links + versions

    /// The rules about values that restrict nothing where an administrator may expect that they do.
    static let unrestricting: [LintRule] = [
        LintRule(
            "appDataEncryptionType", .ineffective,
            "encrypts nothing here: files of the account are stored in the clear; choose whenDeviceLocked",
            severity: .warning
        ) { $0.text("appDataEncryptionType") == "useDeviceSettings" }
    ]

    private init(
        _ setting: String, _ kind: LintFinding.Kind, _ message: String, severity: LintFinding.Severity? = nil,
        where isBroken: @escaping @Sendable (StatedValues) -> Bool
    ) {
        self.setting = setting
        self.kind = kind
        self.severity = severity ?? (kind == .contradictory ? .warning : .note)
        self.message = message
        self.isBroken = isBroken
    }

    /// Returns the rule that a setting has no effect unless another one has this value.
    private static func needs(_ setting: String, _ other: String, _ value: JSON) -> LintRule {
        LintRule(setting, .ineffective, "does nothing: \(other) is not \(value.string ?? value.text)") {
            $0[other] != value
        }
    }

    /// Returns the rule for an exemption from the outbound level `managedApps`. It is a warning, because an administrator who
    /// sets an exemption expects a restriction.
    private static func exemption(_ setting: String) -> LintRule {
        let outbound = "allowedOutboundDataTransferDestinations"
        return LintRule(
            setting, .ineffective, "does nothing: \(outbound) is not managedApps, so there is nothing to exempt from",
            severity: .warning
        ) { $0.text(outbound) != "managedApps" }
    }

    private static let exceptions: [LintRule] = [
        needs("allowedDataStorageLocations", "saveAsBlocked", true),
        needs("allowedDataIngestionLocations", "blockDataIngestionIntoOrganizationDocuments", true),
        LintRule(
            "allowedDataStorageLocations", .contradictory,
            "does nothing: allowedOutboundDataTransferDestinations is none, which lets nothing leave"
        ) { $0.text("allowedOutboundDataTransferDestinations") == "none" && $0["saveAsBlocked"] == true },
        LintRule(
            "allowedDataIngestionLocations", .contradictory,
            "does nothing: allowedInboundDataTransferSources is none, which lets nothing in"
        ) {
            $0.text("allowedInboundDataTransferSources") == "none"
                && $0["blockDataIngestionIntoOrganizationDocuments"] == true
        },
        LintRule(
            "saveAsBlocked", .contradictory,
            "does nothing: allowedOutboundDataTransferDestinations is allApps, which lets data be saved everywhere; "
                + "choose managedApps"
        ) { $0.text("allowedOutboundDataTransferDestinations") ?? "allApps" == "allApps" },
        LintRule(
            "blockDataIngestionIntoOrganizationDocuments", .contradictory,
            "does nothing: allowedInboundDataTransferSources is allApps, which lets data in from everywhere; "
                + "choose managedApps"
        ) { $0.text("allowedInboundDataTransferSources") ?? "allApps" == "allApps" },
        LintRule(
            "allowedInboundDataTransferSources", .ineffective,
            "lets files, photos and pictures of this computer be opened: blockDataIngestionIntoOrganizationDocuments is "
                + "not true"
        ) {
            $0.text("allowedInboundDataTransferSources") == "managedApps"
                && $0["blockDataIngestionIntoOrganizationDocuments"] != true
        },
        LintRule(
            "allowedOutboundClipboardSharingExceptionLength", .ineffective,
            "does nothing: allowedOutboundClipboardSharingLevel blocks nothing"
        ) {
            ["allApps", "anyDestinationAnySource"].contains(
                $0.text("allowedOutboundClipboardSharingLevel") ?? "allApps")
        },
        LintRule(
            "protectInboundDataFromUnknownSources", .contradictory,
            "counts only where allowedInboundDataTransferSources is allApps"
        ) { $0.text("allowedInboundDataTransferSources") ?? "allApps" != "allApps" },
        LintRule(
            "filterOpenInToOnlyManagedApps", .contradictory,
            "goes only with allowedOutboundDataTransferDestinations managedApps, and without "
                + "disableProtectionOfManagedOutboundOpenInData"
        ) {
            $0.text("allowedOutboundDataTransferDestinations") != "managedApps"
                || $0["disableProtectionOfManagedOutboundOpenInData"] == true
        },
        LintRule(
            "disableProtectionOfManagedOutboundOpenInData", .contradictory,
            "goes only with allowedOutboundDataTransferDestinations managedApps"
        ) { $0.text("allowedOutboundDataTransferDestinations") != "managedApps" },
    ]

    private static let pin: [LintRule] =
        [
            "maximumPinRetries", "appActionIfMaximumPinRetriesExceeded", "simplePinBlocked", "minimumPinLength",
            "pinCharacterSet", "periodBeforePinReset", "previousPinBlockCount", "fingerprintBlocked", "faceIdBlocked",
            "biometricAuthenticationBlocked", "pinRequiredInsteadOfBiometricTimeout", "disableAppPinIfDevicePinIsSet",
        ].map { needs($0, "pinRequired", true) } + [
            LintRule(
                "pinRequiredInsteadOfBiometricTimeout", .contradictory,
                "is not longer than periodOnlineBeforeAccessCheck: biometrics are never accepted"
            ) { values in
                values["pinRequired"] == true
                    && values.isNotLonger("pinRequiredInsteadOfBiometricTimeout", than: "periodOnlineBeforeAccessCheck")
            }
        ]

    private static let conditionalLaunch: [LintRule] = [
        needs("appActionIfDeviceComplianceRequired", "deviceComplianceRequired", true),
        needs("appActionIfDeviceLockNotSet", "deviceLockRequired", true),
        LintRule(
            "appActionIfIosDeviceModelNotAllowed", .ineffective, "does nothing: allowedIosDeviceModels names no model"
        ) { ($0["allowedIosDeviceModels"]?.array ?? []).isEmpty },
        LintRule(
            "mobileThreatDefenseRemediationAction", .ineffective,
            "does nothing: maximumAllowedDeviceThreatLevel is not configured"
        ) { $0.text("maximumAllowedDeviceThreatLevel") ?? "notConfigured" == "notConfigured" },
        LintRule(
            "gracePeriodToBlockAppsDuringOffClockHours", .ineffective,
            "does nothing: appActionIfAccountIsClockedOut is not set"
        ) { $0["appActionIfAccountIsClockedOut"] == nil },
        LintRule(
            "periodOfflineBeforeWipeIsEnforced", .contradictory,
            "is not longer than periodOfflineBeforeAccessCheck: no user is asked to connect before the wipe is due"
        ) { $0.isNotLonger("periodOfflineBeforeWipeIsEnforced", than: "periodOfflineBeforeAccessCheck") },
    ]

    private static let links: [LintRule] = [
        needs("managedBrowser", "managedBrowserToOpenLinksRequired", true),
        needs("customBrowserProtocol", "managedBrowserToOpenLinksRequired", true),
        needs("customDialerAppProtocol", "dialerRestrictionLevel", "customApp"),
        needs("messagingRedirectAppUrlScheme", "protectedMessagingRedirectAppType", "specificApps"),
        exemption("exemptedAppProtocols"),
        exemption("exemptedAppPackages"),
        LintRule(
            "exemptedUniversalLinks", .ineffective,
            "does nothing: allowedOutboundDataTransferDestinations is none, which has no exceptions"
        ) { $0.text("allowedOutboundDataTransferDestinations") == "none" },
        LintRule(
            "managedUniversalLinks", .ineffective,
            "does nothing: allowedOutboundDataTransferDestinations is none, which has no exceptions"
        ) { $0.text("allowedOutboundDataTransferDestinations") == "none" },
        LintRule(
            "customBrowserProtocol", .contradictory, "does nothing: managedBrowser is microsoftEdge, which comes first"
        ) { $0.text("managedBrowser") == "microsoftEdge" },
        LintRule(
            "dialerRestrictionLevel", .contradictory,
            "lets nothing open telephone links: customDialerAppProtocol names no app"
        ) { $0.text("dialerRestrictionLevel") == "customApp" && $0.text("customDialerAppProtocol") == nil },
        LintRule(
            "protectedMessagingRedirectAppType", .contradictory,
            "lets nothing open message links: messagingRedirectAppUrlScheme names no app"
        ) {
            $0.text("protectedMessagingRedirectAppType") == "specificApps"
                && $0.text("messagingRedirectAppUrlScheme") == nil
        },
    ]

    /// A milder bound must act before a severer one: a warning is never seen if a block acts on the same versions.
    private static let versions: [LintRule] = ["Os", "App", "Sdk"].flatMap { of -> [LintRule] in
        [
            overtaken("minimumWarning\(of)Version", by: ["minimumRequired\(of)Version", "minimumWipe\(of)Version"]),
            overtaken("minimumRequired\(of)Version", by: ["minimumWipe\(of)Version"]),
            overtaken("maximumWarning\(of)Version", by: ["maximumRequired\(of)Version", "maximumWipe\(of)Version"]),
            overtaken("maximumRequired\(of)Version", by: ["maximumWipe\(of)Version"]),
            LintRule(
                "minimumRequired\(of)Version", .contradictory,
                "is above maximumRequired\(of)Version: no version is allowed"
            ) { $0.isAbove("minimumRequired\(of)Version", "maximumRequired\(of)Version") },
        ]
    }

    private static func overtaken(_ setting: String, by severer: [String]) -> LintRule {
        LintRule(
            setting, .ineffective,
            "does nothing: \(severer.joined(separator: " or ")) acts on the same versions, and is severer"
        ) { values in
            severer.contains { values.actsAsEarly($0, as: setting) }
        }
    }
}
