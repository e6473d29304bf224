extension PropertyTable {
    /// Properties of facilities that only other platforms have, and switches of the admin page that exports contain;
    /// docs/properties.md "Not applicable here".
    static let otherPlatforms: [PropertyDefinition] =
        apple.map { .init($0.0, .inapplicable("Apple only: \($0.1)")) }
        + android.map { .init($0.0, .inapplicable("Android only: \($0.1)")) }
        + adminPage.map { .init($0, .inapplicable("a switch of the admin page; another property carries its meaning")) }

    static let apple: [(String, String)] = [
        (
            "disableProtectionOfManagedOutboundOpenInData",
            "sharing guarded by the operating system, which there is none of here; the outbound level counts"
        ),
        ("genmojiConfigurationState", "drawn emoji"),
        ("writingToolsConfigurationState", "writing tools"),
    ]

    static let android: [(String, String)] = [
        ("minimumRequiredPatchVersion", "security patches"),
        ("minimumWarningPatchVersion", "security patches"),
        ("minimumWipePatchVersion", "security patches"),
        ("allowedAndroidDeviceManufacturers", "device manufacturers"),
        ("appActionIfAndroidDeviceManufacturerNotAllowed", "device manufacturers"),
        ("allowedAndroidDeviceModels", "device models"),
        ("appActionIfAndroidDeviceModelNotAllowed", "device models"),
        ("requiredAndroidSafetyNetDeviceAttestationType", "attestation by the platform"),
        ("appActionIfAndroidSafetyNetDeviceAttestationFailed", "attestation by the platform"),
        ("requiredAndroidSafetyNetAppsVerificationType", "scanning of apps by the platform"),
        ("appActionIfAndroidSafetyNetAppsVerificationFailed", "scanning of apps by the platform"),
        ("requiredAndroidSafetyNetEvaluationType", "attestation by the platform"),
        ("minimumRequiredCompanyPortalVersion", "the Company Portal app"),
        ("minimumWarningCompanyPortalVersion", "the Company Portal app"),
        ("minimumWipeCompanyPortalVersion", "the Company Portal app"),
        ("blockAfterCompanyPortalUpdateDeferralInDays", "the Company Portal app"),
        ("warnAfterCompanyPortalUpdateDeferralInDays", "the Company Portal app"),
        ("wipeAfterCompanyPortalUpdateDeferralInDays", "the Company Portal app"),
        ("appActionIfSamsungKnoxAttestationRequired", "attestation by the platform"),
        ("appActionIfDevicePasscodeComplexityLessThanLow", "how strong the screen lock's passcode is"),
        ("appActionIfDevicePasscodeComplexityLessThanMedium", "how strong the screen lock's passcode is"),
        ("appActionIfDevicePasscodeComplexityLessThanHigh", "how strong the screen lock's passcode is"),
        ("approvedKeyboards", "keyboard packages; keyboardsRestricted decides, with or without them"),
        ("exemptedAppPackages", "app packages"),
        ("customBrowserPackageId", "a browser's package"),
        ("customBrowserDisplayName", "a browser's package"),
        ("customDialerAppPackageId", "a dialer's package"),
        ("customDialerAppDisplayName", "a dialer's package"),
        ("messagingRedirectAppPackageId", "a messenger's package"),
        ("messagingRedirectAppDisplayName", "a messenger's package"),
        ("connectToVpnOnLaunch", "a VPN app"),
        ("fingerprintAndBiometricEnabled", "biometric classes"),
        ("requireClass3Biometrics", "biometric classes"),
        ("requirePinAfterBiometricChange", "biometric classes"),
        (
            "disableAppEncryptionIfDeviceEncryptionIsEnabled",
            "leaves encryption to the device's; here app data is encrypted all the same"
        ),
    ]

    static let adminPage = [
        "shareWithBrowserVirtualSetting", "pinRequiredInsteadOfBiometric", "periodBeforePinResetRequired",
    ]
}
