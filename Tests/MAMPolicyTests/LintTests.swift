import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("lint")
struct LintTests {
    /// A setting, what makes it worth a finding, and what mends that.
    struct Case: CustomTestStringConvertible, Sendable {
        let setting: String
        let value: JSON
        let kind: LintFinding.Kind
        let around: JSON
        let mended: JSON
        var testDescription: String { "\(setting): \(kind.rawValue)" }

        init(_ setting: String, _ value: JSON, _ kind: LintFinding.Kind, in around: JSON, mended: JSON) {
            (self.setting, self.value, self.kind, self.around, self.mended) = (setting, value, kind, around, mended)
        }

        func findings(_ around: JSON) throws -> [LintFinding] {
            let type = ("@odata.type", JSON("#libmam.linuxManagedAppProtection"))
            let document = JSON.object([type, (setting, value)] + (around.object ?? []))
            return try PolicyDocument(id: "p", json: document).lint.filter { $0.setting == setting && $0.kind == kind }
        }
    }

    static let managed: JSON = ["allowedOutboundDataTransferDestinations": "managedApps", "saveAsBlocked": true]
    static let cases: [Case] = [
        Case("allowedDataStorageLocations", ["box"], .ineffective, in: ["saveAsBlocked": false], mended: managed),
        Case(
            "allowedDataStorageLocations", ["box"], .contradictory,
            in: ["allowedOutboundDataTransferDestinations": "none", "saveAsBlocked": true], mended: managed),
        Case(
            "saveAsBlocked", true, .contradictory, in: [:], mended: ["allowedOutboundDataTransferDestinations": "none"]),
        Case(
            "allowedDataIngestionLocations", ["camera"], .ineffective, in: [:],
            mended: ["blockDataIngestionIntoOrganizationDocuments": true]),
        Case(
            "allowedOutboundClipboardSharingExceptionLength", 10, .ineffective, in: [:],
            mended: ["allowedOutboundClipboardSharingLevel": "blocked"]),
        Case(
            "protectInboundDataFromUnknownSources", true, .contradictory,
            in: ["allowedInboundDataTransferSources": "none"], mended: [:]),
        Case(
            "filterOpenInToOnlyManagedApps", true, .contradictory, in: [:],
            mended: ["allowedOutboundDataTransferDestinations": "managedApps"]),
        Case("minimumPinLength", 6, .ineffective, in: ["pinRequired": false], mended: ["pinRequired": true]),
        Case(
            "pinRequiredInsteadOfBiometricTimeout", "PT30M", .contradictory,
            in: ["pinRequired": true, "periodOnlineBeforeAccessCheck": "PT30M"],
            mended: ["pinRequired": true, "periodOnlineBeforeAccessCheck": "PT29M"]),
        Case(
            "periodOfflineBeforeWipeIsEnforced", "PT1H", .contradictory,
            in: ["periodOfflineBeforeAccessCheck": "PT12H"],
            mended: ["periodOfflineBeforeAccessCheck": "PT30M"]),
        Case(
            "mobileThreatDefenseRemediationAction", "wipe", .ineffective,
            in: ["maximumAllowedDeviceThreatLevel": "notConfigured"], mended: ["maximumAllowedDeviceThreatLevel": "low"]
        ),
        Case(
            "customDialerAppProtocol", "dial", .ineffective, in: ["dialerRestrictionLevel": "managedApps"],
            mended: ["dialerRestrictionLevel": "customApp"]),
        Case(
            "exemptedAppProtocols", ["zoommtg"], .ineffective, in: [:],
            mended: ["allowedOutboundDataTransferDestinations": "managedApps"]),
        Case(
            "exemptedUniversalLinks", ["https://zoom.us/*"], .ineffective,
            in: ["allowedOutboundDataTransferDestinations": "none"], mended: [:]),
        Case(
            "managedUniversalLinks", ["https://zoom.us/*"], .ineffective,
            in: ["allowedOutboundDataTransferDestinations": "none"], mended: [:]),
        Case(
            "customBrowserProtocol", "fx", .contradictory,
            in: ["managedBrowserToOpenLinksRequired": true, "managedBrowser": "microsoftEdge"],
            mended: ["managedBrowserToOpenLinksRequired": true]),
        Case(
            "dialerRestrictionLevel", "customApp", .contradictory, in: [:],
            mended: ["customDialerAppProtocol": "dial"]),
        Case(
            "protectedMessagingRedirectAppType", "specificApps", .contradictory, in: [:],
            mended: ["messagingRedirectAppUrlScheme": "talk"]),
        Case(
            "minimumWarningOsVersion", "12", .ineffective, in: ["minimumRequiredOsVersion": "12.0"],
            mended: ["minimumRequiredOsVersion": "11.9"]),
        Case(
            "maximumWarningOsVersion", "13", .ineffective, in: ["maximumWipeOsVersion": "12"],
            mended: ["maximumWipeOsVersion": "14"]),
        Case(
            "minimumRequiredOsVersion", "13", .contradictory, in: ["maximumRequiredOsVersion": "12.9"],
            mended: ["maximumRequiredOsVersion": "13"]),
        Case("minimumPinLength", "six", .value, in: ["pinRequired": true], mended: [:]),
    ]

    @Test("what does not go together is found", arguments: cases)
    func isFound(_ c: Case) throws { #expect(try c.findings(c.around).count == 1) }

    @Test("and not once it is mended", arguments: cases.filter { $0.kind != .value })
    func isGone(_ c: Case) throws { #expect(try c.findings(c.mended).isEmpty) }

    @Test("unknown properties and those of other platforms")
    func foreign() throws {
        let document: JSON = [
            "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "1", "displayName": "P",
            "connectToVpnOnLaunch": true, "minimumRequiredOsVersion": "15", "fooBarBlocked": true, "printBlocked": true,
            "approvedKeyboards": [],
        ]
        let found = try PolicyDocument(id: "p", json: document).lint.map { "\($0.setting) \($0.kind.rawValue)" }
        #expect(
            found == [
                "connectToVpnOnLaunch crossPlatform", "minimumRequiredOsVersion crossPlatform", "fooBarBlocked unknown",
            ])
    }

    @Test(
        "Microsoft's own levels contradict themselves nowhere", .enabled(if: SharedData.isPresent),
        arguments: [
            "level-1-enterprise-basic-data-protection-iOS.json", "level-2-enterprise-enhanced-data-protection-iOS.json",
            "level-1-enterprise-basic-data-protection-Android.json",
        ])
    func levels(_ name: String) throws {
        for policy in try SharedData.policies(name) {
            #expect(policy.lint.filter { $0.severity == .warning } == [])
        }
    }
}
