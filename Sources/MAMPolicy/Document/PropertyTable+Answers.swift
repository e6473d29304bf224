/// The functions whose answers a property can change. The property list reports them, and tests change each property and
/// compare the answers.
extension PropertyTable {
    /// Returns the functions of mam.h that a property can change, or will change once it is enforced.
    static func answers(of property: PropertyDefinition) -> [String] {
        answers.first { $0.properties.contains(property.name) }?.functions ?? []
    }

    private static let transfers = [
        "mam_policy_is_save_to_allowed", "mam_policy_is_open_from_allowed", "mam_policy_is_document_picker_allowed",
    ]
    private static let encryption = [
        "mam_policy_is_file_encryption_required", "mam_policy_should_file_provider_encrypt",
    ]

    private static let answers: [(properties: [String], functions: [String])] = [
        (
            ["allowedInboundDataTransferSources"],
            transfers + [
                "mam_policy_can_receive_data", "mam_policy_can_receive_file", "mam_file_export", "mam_file_import",
            ]
        ),
        (
            ["allowedOutboundDataTransferDestinations"],
            transfers + [
                "mam_policy_is_app_sharing_allowed", "mam_policy_is_indexing_allowed",
                "mam_policy_are_assistant_intents_allowed", "mam_policy_are_app_intents_allowed",
                "mam_policy_is_widget_content_sync_allowed", "mam_policy_should_file_provider_encrypt",
                "mam_policy_is_url_allowed", "mam_policy_is_universal_link_allowed", "mam_policy_url",
                "mam_policy_web_view",
                "mam_policy_filter_share_targets", "mam_policy_can_receive_data", "mam_policy_can_receive_file",
                "mam_file_export", "mam_file_import",
            ]
        ),
        (
            ["saveAsBlocked", "allowedDataStorageLocations"],
            ["mam_policy_is_save_to_allowed", "mam_file_export"]
        ),
        (
            ["blockDataIngestionIntoOrganizationDocuments"],
            ["mam_policy_is_open_from_allowed", "mam_policy_is_document_picker_allowed"]
        ),
        (["allowedDataIngestionLocations"], ["mam_policy_is_open_from_allowed"]),
        (["dataBackupBlocked"], ["mam_policy_is_backup_allowed"]),
        (["printBlocked"], ["mam_policy_is_print_allowed"]),
        (["contactSyncBlocked"], ["mam_policy_is_contact_sync_allowed"]),
        (["thirdPartyKeyboardsBlocked", "keyboardsRestricted"], ["mam_policy_are_third_party_keyboards_allowed"]),
        (["screenCaptureConfigurationState", "screenCaptureBlocked"], ["mam_policy_is_screen_capture_allowed"]),
        (["allowWidgetContentSync"], ["mam_policy_is_widget_content_sync_allowed"]),
        (
            ["appDataEncryptionType"],
            encryption + [
                "mam_file_import", "mam_unprotect", "mam_file_open", "mam_conditional_launch", "mam_launch",
            ]
        ),
        (["encryptAppData"], encryption + ["mam_file_import", "mam_conditional_launch", "mam_launch"]),
        (["apps", "assignments", "appGroupType"], ["mam_policy_explain"]),
        (
            ["pinRequired"],
            ["mam_policy_is_pin_required", "mam_pin_status", "mam_conditional_launch", "mam_launch"]
        ),
        (["disableAppPinIfDevicePinIsSet"], ["mam_policy_is_pin_required"]),
        (
            ["managedBrowserToOpenLinksRequired"],
            [
                "mam_policy_is_managed_browser_required", "mam_policy_is_url_allowed", "mam_policy_url",
                "mam_policy_web_view",
            ]
        ),
        (["managedBrowser", "customBrowserProtocol"], ["mam_policy_url", "mam_policy_web_view"]),
        (["exemptedAppProtocols"], ["mam_policy_is_url_allowed", "mam_policy_url", "mam_policy_web_view"]),
        (
            ["exemptedUniversalLinks"],
            [
                "mam_policy_is_universal_link_allowed", "mam_policy_is_url_allowed", "mam_policy_url",
                "mam_policy_web_view",
            ]
        ),
        (["managedUniversalLinks"], ["mam_policy_is_universal_link_allowed", "mam_policy_url", "mam_policy_web_view"]),
        (
            ["dialerRestrictionLevel", "protectedMessagingRedirectAppType"],
            ["mam_policy_is_url_allowed", "mam_policy_url", "mam_policy_web_view"]
        ),
        (["customDialerAppProtocol", "messagingRedirectAppUrlScheme"], ["mam_policy_url", "mam_policy_web_view"]),
        (
            ["allowedOutboundClipboardSharingLevel", "allowedOutboundClipboardSharingExceptionLength"],
            ["mam_policy_clipboard", "mam_policy_web_view"]
        ),
        (["notificationRestriction"], ["mam_policy_notification"]),
        (["filterOpenInToOnlyManagedApps"], ["mam_policy_filter_share_targets"]),
        (["protectInboundDataFromUnknownSources"], ["mam_file_import"]),
        (
            [
                "maximumPinRetries", "appActionIfMaximumPinRetriesExceeded", "simplePinBlocked", "minimumPinLength",
                "pinCharacterSet", "previousPinBlockCount",
            ], ["mam_pin_status"]
        ),
        (["periodBeforePinReset"], ["mam_pin_status", "mam_conditional_launch", "mam_launch"]),
        (
            [
                "fingerprintBlocked", "faceIdBlocked", "biometricAuthenticationBlocked",
                "pinRequiredInsteadOfBiometricTimeout", "periodOnlineBeforeAccessCheck",
            ], ["mam_launch"]
        ),
        (
            [
                "organizationalCredentialsRequired", "periodOfflineBeforeAccessCheck",
                "periodOfflineBeforeWipeIsEnforced", "deviceComplianceRequired", "appActionIfDeviceComplianceRequired",
                "deviceLockRequired", "appActionIfDeviceLockNotSet", "minimumRequiredOsVersion",
                "minimumWarningOsVersion", "minimumWipeOsVersion", "maximumRequiredOsVersion",
                "maximumWarningOsVersion", "maximumWipeOsVersion", "minimumRequiredAppVersion",
                "minimumWarningAppVersion", "minimumWipeAppVersion", "minimumRequiredSdkVersion",
                "minimumWarningSdkVersion", "minimumWipeSdkVersion", "allowedIosDeviceModels",
                "appActionIfIosDeviceModelNotAllowed", "maximumAllowedDeviceThreatLevel",
                "mobileThreatDefenseRemediationAction", "appActionIfUnableToAuthenticateUser",
                "appActionIfAccountIsClockedOut", "gracePeriodToBlockAppsDuringOffClockHours",
            ], ["mam_conditional_launch", "mam_launch"]
        ),
    ]
}
