import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("lint")
struct LintTests {
    /// A setting, a policy that causes a finding, and one that fixes it.
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
            "blockDataIngestionIntoOrganizationDocuments", true, .contradictory, in: [:],
            mended: ["allowedInboundDataTransferSources": "managedApps"]),
        Case(
            "allowedInboundDataTransferSources", "managedApps", .ineffective, in: [:],
            mended: ["blockDataIngestionIntoOrganizationDocuments": true]),
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

    @Test("problems are found", arguments: cases)
    func isFound(_ c: Case) throws { #expect(try c.findings(c.around).count == 1) }

    @Test("and not after they are fixed", arguments: cases.filter { $0.kind != .value })
    func isGone(_ c: Case) throws { #expect(try c.findings(c.mended).isEmpty) }

    @Test("a setting without effect on decisions is said to do nothing, and one with an effect is not")
    func saysWhatDecides() throws {
        for outbound in [nil, "allApps", "managedApps", "none"] as [String?] {
            let level = outbound.map { ("allowedOutboundDataTransferDestinations", JSON.string($0)) }
            let plain = JSON.object([level].compactMap(\.self))
            let blocking = JSON.object([("saveAsBlocked", true), level].compactMap(\.self))
            let (free, blocked) = (try MAMPolicyTests.managed(plain.text), try MAMPolicyTests.managed(blocking.text))
            let hasEffect = SaveLocation.allCases.contains { location in
                free.saveTo(location, .unknown).allowed != blocked.saveTo(location, .unknown).allowed
                    || free.saveTo(location, .sameAccount).allowed != blocked.saveTo(location, .sameAccount).allowed
            }
            let found = try Case("saveAsBlocked", true, .contradictory, in: plain, mended: [:]).findings(plain)
            #expect(!found.contains { !$0.message.hasPrefix("does nothing") }, "\(outbound ?? "")")
            #expect(!hasEffect || found.isEmpty, "\(outbound ?? "")")
        }
    }

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
        "an invalid check of the policy's own hosts is a warning about its value, and is not compared",
        arguments: ["iosManagedAppProtection", "androidManagedAppProtection", "defaultManagedAppProtection"])
    func misreadHostCheck(_ type: String) throws {
        let document: JSON = [
            "@odata.type": .string("#microsoft.graph.\(type)"), "minimumRequiredOsVersion": "abc",
            "minimumWarningOsVersion": "abc", "maximumRequiredOsVersion": "17", "minimumWipeOsVersion": "12",
            "allowedIosDeviceModels": 7,
        ]
        let policy = try PolicyDocument(id: "p", json: document)
        let found = policy.lint.filter { $0.severity == .warning || $0.kind == .ineffective }
        #expect(
            found.map { "\($0.setting) \($0.kind.rawValue)" } == [
                "minimumRequiredOsVersion value", "minimumWarningOsVersion value", "allowedIosDeviceModels value",
            ])
        #expect(found.first?.message.contains("not a version number such as 1.2") == true)
        // This host reads none of these properties.
        #expect(policy.unreadableValues == [])
    }

    @Test("a property that Windows policies cannot have is found once, as cross-platform")
    func windows() throws {
        let document: JSON = [
            "@odata.type": "#microsoft.graph.windowsManagedAppProtection", "saveAsBlocked": true,
            "blockDataIngestionIntoOrganizationDocuments": true, "filterOpenInToOnlyManagedApps": true,
            "disableProtectionOfManagedOutboundOpenInData": true,
            "exemptedAppProtocols": [["name": "Z", "value": "z"]],
            "minimumPinLength": 6,
        ]
        let found = try PolicyDocument(id: "p", json: document).lint
        #expect(found.map(\.setting) == document.object?.dropFirst().map(\.key))
        #expect(found.allSatisfy { $0.kind == .crossPlatform })
    }

    @Test(
        "an unknown property is a warning with a similar name",
        arguments: [
            ("printBlock", "printBlocked"), ("PRINTBLOCKED", "printBlocked"), ("minimumPinLenght", "minimumPinLength"),
            ("saveAsBlockd", "saveAsBlocked"), ("fooBarBlocked", nil), ("hello", nil), ("", nil),
        ] as [(String, String?)])
    func misspelt(_ name: String, _ meant: String?) throws {
        let found = try PolicyDocument(id: "p", json: JSON.object([(name, true)])).lint
        #expect(found.map(\.severity) == [.warning] && found.map(\.kind) == [.unknown])
        #expect(found.first?.message.contains("is \(meant ?? "") meant?") == (meant != nil))
    }

    @Test(
        "every known property is found by its name, and metadata, annotations and actions are not misspellings"
    )
    func known() throws {
        for property in PropertyTable.all { #expect(PropertySuggestion.nearest(to: property.name) == property.name) }
        let document = try JSON(
            parsing: ##"""
                {"@odata.type":"#microsoft.graph.iosManagedAppProtection","@odata.context":"x","displayName":"P","id":"p",
                 "createdDateTime":"2020-01-01T00:00:00Z","lastModifiedDateTime":"","version":"1","roleScopeTagIds":["0"],
                 "isAssigned":true,"deployedAppCount":3,"assignments@odata.context":"x","apps@odata.associationLink":"x",
                 "#microsoft.graph.assign":{},"#microsoft.graph.targetApps":{}}
                """##)
        #expect(try PolicyDocument(id: "p", json: document).lint == [])
    }

    @Test(
        "apps and assignments that reach no user, or unexpected ones",
        arguments: [
            (#""apps":[],"appGroupType":"selectedPublicApps""#, "appGroupType"),
            (#""appGroupType":"allMicrosoftApps""#, "appGroupType"), (#""appGroupType":"allApps""#, nil),
            (#""appGroupType":"allCoreMicrosoftApps","apps":[{"mobileAppIdentifier":{"bundleId":"notes"}}]"#, nil),
            (#""apps":[]"#, "apps"), (#""apps":null"#, nil),
            (#""apps":[{"mobileAppIdentifier":{"windowsAppId":"a b"}}]"#, "apps"),
            (#""apps":[{"mobileAppIdentifier":{"windowsAppId":"{odd}"}}]"#, "apps"),
            (
                ##""assignments":[{"target":{"@odata.type":"#microsoft.graph.groupAssignmentTarget","groupId":"g"}}]"##,
                nil
            ),
            (
                ##""assignments":[{"target":{"@odata.type":"#microsoft.graph.groupAssignmentTarget","groupId":"g","deviceAndAppManagementAssignmentFilterId":"7c1f0000-0000-0000-0000-000000000000","deviceAndAppManagementAssignmentFilterType":"include"}}]"##,
                "assignments"
            ),
            (
                ##""assignments":[{"target":{"@odata.type":"#microsoft.graph.groupAssignmentTarget","groupId":"g","deviceAndAppManagementAssignmentFilterId":"00000000-0000-0000-0000-000000000000","deviceAndAppManagementAssignmentFilterType":"none"}}]"##,
                nil
            ),
        ] as [(String, String?)])
    func reach(_ members: String, _ setting: String?) throws {
        let found = try document("{\(members)}").lint
        #expect(Set(found.map(\.setting)) == Set([setting].compactMap(\.self)))
        #expect(found.allSatisfy { $0.severity == .warning && $0.kind == .reach })
    }

    @Test(
        "exempted protocols and packages without a restriction are a warning, except for the defaults"
    )
    func exemptions() throws {
        for setting in ["exemptedAppProtocols", "exemptedAppPackages"] {
            let text = #""\#(setting)":[{"name":"Zoom","value":"zoommtg"}]"#
            let found = try document("{\(text)}").lint.filter { $0.severity == .warning }
            #expect(found.map(\.setting) == [setting])
            let restricted = #"{"allowedOutboundDataTransferDestinations":"managedApps",\#(text)}"#
            #expect(try document(restricted).lint.filter { $0.severity == .warning } == [])
        }
        let standard = DefaultLinks.exemptSchemes.reversed().joined(separator: ";") + ";tel;telprompt"
        #expect(try document(#"{"exemptedAppProtocols":[{"name":"Default","value":"\#(standard)"}]}"#).lint == [])
    }

    @Test(
        "Microsoft's own levels contain no contradictions", .enabled(if: SharedData.isPresent),
        arguments: [
            "level-1-enterprise-basic-data-protection-iOS.json", "level-2-enterprise-enhanced-data-protection-iOS.json",
            "level-1-enterprise-basic-data-protection-Android.json",
        ])
    func levels(_ name: String) throws {
        for policy in try SharedData.policies(name) {
            let warnings = policy.lint.filter { $0.severity == .warning }
            // The exports target Microsoft's apps, which an authority cannot identify, and wipe accounts that it refuses after
            // 90 days.
            #expect(
                warnings.map { "\($0.kind.rawValue) \($0.setting)" }.sorted() == [
                    "reach appGroupType", "wipe periodOfflineBeforeWipeIsEnforced",
                ])
        }
    }
}
