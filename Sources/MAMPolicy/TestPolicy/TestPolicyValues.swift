import MAMSupport

/// The values of a test policy, and their policy. Levels are mapped by name, because the numbers in the file and those of
/// Microsoft Graph run in opposite directions.
struct TestPolicyValues {
    /// The values by full key name. All other keys have their defaults.
    let stated: [String: JSON]

    private func value(_ name: String) -> JSON {
        stated[TestPolicyKey.prefix + name] ?? TestPolicyKey.named(TestPolicyKey.prefix + name)?.shipped ?? .null
    }

    func isTrue(_ name: String) -> Bool { value(name) == true }
    func text(_ name: String) -> String { value(name).string ?? "" }
    private func count(_ name: String) -> Int64 { value(name).integer ?? TestPolicyKey.count(text(name)) ?? 0 }

    /// Returns the member of a scale, or the last and strictest one if the index is out of range.
    private func level(_ name: String, _ scale: [String]) -> JSON {
        let index = value(name).integer.flatMap(Int.init(exactly:)) ?? scale.count
        return .optional(scale.indices.contains(index) ? scale[index] : scale.last)
    }

    private func minutes(_ name: String) -> JSON { .string("PT\(count(name))M") }
    private func days(_ name: String) -> JSON { .string("P\(count(name))D") }

    private func version(_ name: String) -> JSON {
        let text = text(name)
        return text.isEmpty || SettingKind.version(text) == SettingKind.version("0.0") ? .null : .string(text)
    }

    private func listed(_ names: [(key: String, name: String)]) -> JSON {
        .strings(names.filter { isTrue($0.key) }.map(\.name))
    }

    /// The policy in the form of Microsoft Graph.
    var policy: JSON {
        let transfer = ["none", "managedApps", "allApps"]
        return .object(
            [
                ("@odata.type", "#microsoft.graph.iosManagedAppProtection"), ("id", .string(TestPolicy.policyId)),
                ("displayName", "Test policy"),
                ("allowedOutboundDataTransferDestinations", level("AppSharingToLevel", transfer)),
                ("allowedInboundDataTransferSources", level("AppSharingFromLevel", transfer)),
                (
                    "allowedOutboundClipboardSharingLevel",
                    level("ClipboardSharingLevel", ["blocked", "managedApps", "managedAppsWithPasteIn", "allApps"])
                ),
                ("saveAsBlocked", flag("FileSharingSaveAsDisabled")),
                (
                    "allowedDataStorageLocations",
                    listed([
                        ("SaveLocation1", "oneDriveForBusiness"), ("SaveLocation2", "sharePoint"),
                        ("SaveLocation4", "box"), ("SaveLocation32", "localStorage"),
                    ])
                ),
                ("blockDataIngestionIntoOrganizationDocuments", flag("OpenDataIntoOrgDocumentsBlocked")),
                (
                    "allowedDataIngestionLocations",
                    listed([
                        ("OpenLocation1", "oneDriveForBusiness"), ("OpenLocation2", "sharePoint"),
                        ("OpenLocation4", "camera"),
                    ])
                ),
                ("managedBrowserToOpenLinksRequired", flag("ManagedBrowserRequired")),
                ("dataBackupBlocked", flag("DataBackupDisabled")), ("contactSyncBlocked", flag("ContactSyncDisabled")),
                ("printBlocked", flag("PrintingBlocked")),
                ("thirdPartyKeyboardsBlocked", flag("ThirdPartyKeyboardsBlocked")),
                ("protectInboundDataFromUnknownSources", flag("ProtectAllIncomingUnknownSourceData")),
                (
                    "appDataEncryptionType",
                    level(
                        "FileEncryptionLevel",
                        [
                            "whenDeviceLocked", "whenDeviceLockedExceptOpenFiles", "afterDeviceRestart",
                            "useDeviceSettings",
                        ])
                ),
            ] + access)
    }

    /// The policy's settings for PIN, credentials and launch checks.
    private var access: [(key: String, value: JSON)] {
        let letters = "alphanumericAndSymbol"
        let biometricTimeout =
            isTrue("NonBioPassTimeOutRequired")
            ? [(key: "pinRequiredInsteadOfBiometricTimeout", value: minutes("NonBioPassTimeout"))] : []
        return [
            ("pinRequired", flag("PINEnabled")), ("simplePinBlocked", .bool(!isTrue("SimplePINAllowed"))),
            ("disableAppPinIfDevicePinIsSet", flag("AppPinDisabled")),
            ("minimumPinLength", .integer(count("PINMinLength"))),
            ("pinCharacterSet", level("PINCharacterType", ["numeric", "numeric", letters, letters])),
            ("maximumPinRetries", .integer(count("PINNumRetry"))), ("periodBeforePinReset", days("PINExpiryDays")),
            ("faceIdBlocked", .bool(!isTrue("FaceIDEnabled"))),
            ("fingerprintBlocked", .bool(!isTrue("TouchIDEnabled"))),
            ("organizationalCredentialsRequired", flag("AuthenticationEnabled")),
            ("deviceComplianceRequired", flag("DeviceComplianceEnabled")),
            ("periodOnlineBeforeAccessCheck", minutes("AccessRecheckOnlineTimeout")),
            ("periodOfflineBeforeAccessCheck", minutes("AccessRecheckOfflineTimeout")),
            ("minimumRequiredOsVersion", version("MinOsVersion")),
            ("minimumWarningOsVersion", version("MinOsVersionWarning")),
            ("minimumRequiredAppVersion", version("MinAppVersion")),
            ("minimumWarningAppVersion", version("MinAppVersionWarning")),
        ] + biometricTimeout
    }

    private func flag(_ name: String) -> JSON { .bool(isTrue(name)) }
}
