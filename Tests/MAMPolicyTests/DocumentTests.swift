import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("policy documents")
struct DocumentTests {
    @Test(
        "an invalid value is read as the strictest one, with a warning",
        arguments: [
            ("allowedOutboundDataTransferDestinations", "\"elsewhere\"", "\"none\""),
            ("allowedInboundDataTransferSources", "1", "\"none\""),
            ("allowedInboundDataTransferSources", "\"\"", "\"none\""),
            ("printBlocked", "\"no\"", "true"),
            ("printBlocked", "0", "true"),
            ("allowWidgetContentSync", "\"yes\"", "false"),
            ("disableAppPinIfDevicePinIsSet", "{}", "false"),
            ("screenCaptureConfigurationState", "\"perhaps\"", "\"blocked\""),
            ("appDataEncryptionType", "3", "\"whenDeviceLocked\""),
            ("allowedDataStorageLocations", "\"sharePoint\"", "[]"),
            ("allowedDataStorageLocations", "[\"sharePoint\",\"moon\",7]", "[\"sharePoint\"]"),
            ("maximumPinRetries", "0", "1"),
            ("maximumPinRetries", "2.5", "1"),
            ("previousPinBlockCount", "25", "24"),
            ("notificationRestriction", "\"some\"", "\"block\""),
            ("periodOnlineBeforeAccessCheck", "\"-PT17.1357909S\"", "\"PT0S\""),
            ("periodOfflineBeforeWipeIsEnforced", "\"-PT3M22.1587532S\"", "\"PT1S\""),
            ("periodOfflineBeforeAccessCheck", "\"P1Y\"", "\"PT0S\""),
            ("periodOfflineBeforeAccessCheck", "720", "\"PT0S\""),
            ("minimumRequiredAppVersion", "\"Minimum value\"", "\"65535\""),
            ("minimumRequiredAppVersion", "14", "\"65535\""),
        ])
    func strictest(_ name: String, _ value: String, _ expected: String) throws {
        let policy = try document(
            "{\"@odata.type\":\"#libmam.linuxManagedAppProtection\",\"\(name)\":\(value)}", id: "p-9")
        #expect(policy.settings.value(of: name) == (try JSON(parsing: expected)))
        let warning = try #require(policy.unreadableValues.first)
        #expect(policy.unreadableValues.count == 1)
        #expect(warning.policyId == "p-9" && warning.setting == name && warning.message.contains("p-9: \(name)"))
        #expect(warning.value == (try JSON(parsing: value)))
        #expect(warning.json.object?.map(\.key) == ["policyId", "setting", "value", "message"])
    }

    @Test(
        "null and empty text set nothing, without a warning",
        arguments: [
            "allowedDataStorageLocations", "allowedIosDeviceModels", "minimumRequiredAppVersion",
            "customBrowserProtocol",
            "periodBeforePinReset", "appActionIfUnableToAuthenticateUser", "mobileThreatDefensePartnerPriority",
        ], ["null", "\"\""])
    func none(_ name: String, _ value: String) throws {
        let policy = try document("{\"\(name)\":\(value)}")
        #expect(policy.unreadableValues.isEmpty)
        #expect(policy.settings.value(of: name)?.array ?? [] == [])
    }

    @Test("equal durations are equal in every form")
    func durations() throws {
        let kind = SettingKind.span(zeroIsOff: true)
        #expect(kind.rank("PT12H") == kind.rank("PT720M"))
        #expect(kind.rank("P0D") == kind.rank("PT0S"))
        let never = try #require(kind.rank("P0D")), year = try #require(kind.rank("P365D"))
        #expect(never.lexicographicallyPrecedes(year), "never is looser than a year")
        let atOnce = try #require(SettingKind.span(zeroIsOff: false).rank("PT0S"))
        #expect(year.lexicographicallyPrecedes(atOnce), "at once is stricter than a year")
    }

    @Test("versions are ordered by number")
    func versions() throws {
        #expect(SettingKind.minimumVersion.rank("14") == SettingKind.minimumVersion.rank("14.0.0"))
        let older = try #require(SettingKind.minimumVersion.rank("1.9"))
        let newer = try #require(SettingKind.minimumVersion.rank("1.10"))
        #expect(older.lexicographicallyPrecedes(newer))
        let low = try #require(SettingKind.maximumVersion.rank("15.0"))
        let high = try #require(SettingKind.maximumVersion.rank("15.1"))
        #expect(high.lexicographicallyPrecedes(low))
        for bad in ["", "1.", ".1", "a", "1..2", "1.2.3.4.5.6.7.8.9", "99999999999", "-1", "0000-00-00"] {
            #expect(SettingKind.version(bad) == nil, "\(bad)")
        }
    }

    @Test("only values that are not objects are rejected")
    func nonObjects() throws {
        for json: JSON in [.null, true, 1, "x", []] {
            #expect(throws: MAMError(.json, "")) { try PolicyDocument(id: "p", json: json) }
        }
        let empty = try document("{}")
        #expect(
            empty.displayName == "" && empty.type == "" && empty.platform == .unknown && empty.unreadableValues.isEmpty)
    }

    @Test(
        "the type determines the platform, with and without #",
        arguments: [
            ("#microsoft.graph.iosManagedAppProtection", Platform.ios),
            ("microsoft.graph.iosManagedAppProtection", .ios),
            ("#microsoft.graph.androidManagedAppProtection", .android),
            ("#microsoft.graph.windowsManagedAppProtection", .windows),
            ("#libmam.linuxManagedAppProtection", .linux), ("#microsoft.graph.defaultManagedAppProtection", .default),
            ("#microsoft.graph.targetedManagedAppConfiguration", .unknown), ("", .unknown),
        ])
    func platforms(_ type: String, _ platform: Platform) throws {
        let policy = try PolicyDocument(id: "p", json: ["@odata.type": .string(type)])
        #expect(policy.platform == platform && policy.type == type)
        #expect(policy.isTenantDefault == (platform == .default))
    }

    @Test("properties are listed in order with their status, without metadata, annotations and actions")
    func properties() throws {
        let policy = try document(
            """
            {"@odata.type":"#microsoft.graph.iosManagedAppProtection","printBlocked":true,"apps":[],"deviceComplianceRequired":true,
             "minimumRequiredOsVersion":"14.8","minimumRequiredPatchVersion":"x","unheardOf":{},"apps@odata.context":"y",
             "id":"p","displayName":"P","#microsoft.graph.assign":{}}
            """)
        #expect(
            policy.properties.map { "\($0.name): \($0.status.rawValue), \($0.note)" } == [
                "printBlocked: enforced, decides print",
                "apps: enforced, targeting, by the authority",
                "deviceComplianceRequired: enforced, checked by launches: docs/launch.md",
                "minimumRequiredOsVersion: notApplicable, checks ios hosts, not this one",
                "minimumRequiredPatchVersion: notApplicable, Android only: security patches", "unheardOf: unknown, ",
            ])
        #expect(policy.counts.text == "{\"enforced\":3,\"notApplicable\":2,\"unknown\":1}")
        #expect(policy.properties.first?.json.object?.map(\.key) == ["property", "value", "status", "note"])
    }

    @Test("another platform's equivalent is ignored if both are set")
    func twins() throws {
        let both = try document("{\"appDataEncryptionType\":\"useDeviceSettings\",\"encryptAppData\":true}")
        #expect(managed(both).decide(.fileEncryptionRequired, device: noLock).allowed)
        #expect(both.properties.last?.note == "appDataEncryptionType decides")
        let alone = try document("{\"encryptAppData\":true}")
        #expect(alone.properties.last?.status == .enforced)
        #expect(managed(alone).decide(.fileEncryptionRequired, device: noLock).reason?.setting == "encryptAppData")
    }

    @Test(
        "real exports: counts and warnings", .enabled(if: SharedData.isPresent, "no shared data"),
        arguments: SharedData.exports)
    func realExports(_ export: SharedData.Export) throws {
        let policy = try #require(SharedData.policies(export.name).first)
        let statuses = policy.properties.map(\.status)
        #expect(policy.platform == export.platform)
        #expect(statuses.count { $0 == .enforced } == export.enforced)
        #expect(statuses.count { $0 == .notApplicable } == export.notApplicable)
        #expect(statuses.count { $0 == .unknown } == export.unknown)
        #expect(policy.unreadableValues.count == export.warnings)
    }

    @Test("the table contains every setting exactly once")
    func table() {
        let names = PropertyTable.all.map(\.name)
        #expect(Set(names).count == names.count)
        for setting in PolicySetting.allCases {
            let kind = PropertyTable[setting.name]?.kind
            #expect(kind != nil, "\(setting)")
            let reading = kind?.read(setting.neutral)
            #expect((reading?.value ?? .null) == setting.neutral && reading?.problem == nil, "\(setting)")
        }
    }
}
