import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("properties that are not set")
struct AbsenceTests {
    static func merged(_ texts: String...) throws -> EffectivePolicy {
        EffectivePolicy(merging: try texts.enumerated().map { try document($1, id: "p\($0 + 1)") })
    }

    static func changes(_ before: EffectivePolicy, _ after: EffectivePolicy) -> [String] {
        before.changes(to: after).map { "\($0.setting) \($0.direction.rawValue)" }
    }

    @Test(
        "an absent property counts with its default",
        arguments: [
            ("{}", #"{"periodOfflineBeforeAccessCheck":"P1D"}"#, "periodOfflineBeforeAccessCheck", #""PT12H""#),
            ("{}", #"{"periodOfflineBeforeAccessCheck":"PT1H"}"#, "periodOfflineBeforeAccessCheck", #""PT1H""#),
            ("{}", #"{"periodOfflineBeforeWipeIsEnforced":"P0D"}"#, "periodOfflineBeforeWipeIsEnforced", #""P90D""#),
            (
                #"{"pinRequired":true}"#, #"{"pinRequired":true,"maximumPinRetries":10}"#, "maximumPinRetries", "5"
            ),
            (#"{"pinRequired":false}"#, #"{"pinRequired":true,"maximumPinRetries":10}"#, "maximumPinRetries", "10"),
            (#"{"pinRequired":true}"#, #"{"pinRequired":true,"minimumPinLength":0}"#, "minimumPinLength", "4"),
            (
                #"{"deviceComplianceRequired":true}"#,
                #"{"deviceComplianceRequired":true,"appActionIfDeviceComplianceRequired":"warn"}"#,
                "appActionIfDeviceComplianceRequired", #""block""#
            ),
            (
                #"{"allowedOutboundDataTransferDestinations":"managedApps"}"#, #"{"allowWidgetContentSync":true}"#,
                "allowWidgetContentSync", "false"
            ),
            (
                #"{"allowedOutboundClipboardSharingLevel":"orgDestinationOrgSource"}"#,
                #"{"allowedOutboundClipboardSharingLevel":"managedApps","allowedOutboundClipboardSharingExceptionLength":9}"#,
                "allowedOutboundClipboardSharingExceptionLength", "0"
            ),
            (
                #"{"allowedOutboundClipboardSharingLevel":"anyDestinationAnySource"}"#,
                #"{"allowedOutboundClipboardSharingLevel":"managedApps","allowedOutboundClipboardSharingExceptionLength":9}"#,
                "allowedOutboundClipboardSharingExceptionLength", "9"
            ),
        ])
    func silence(_ one: String, _ other: String, _ name: String, _ value: String) throws {
        for policy in [try Self.merged(one, other), try Self.merged(other, one)] {
            let setting = try #require(policy.mergedSettings.first { $0.name == name })
            #expect(setting.value == (try JSON(parsing: value)))
        }
    }

    @Test(
        "a diff reports set properties, not lists that a switch enables",
        arguments: [
            (
                "{}", #"{"allowedOutboundDataTransferDestinations":"managedApps"}"#,
                ["allowedOutboundDataTransferDestinations stricter"]
            ),
            (
                "{}", #"{"managedBrowserToOpenLinksRequired":true}"#, ["managedBrowserToOpenLinksRequired stricter"]
            ),
            // Blocked copies have no effect if data may go to all apps.
            (#"{"saveAsBlocked":true}"#, "{}", []),
            (
                #"{"allowedOutboundDataTransferDestinations":"managedApps","saveAsBlocked":true}"#,
                #"{"allowedOutboundDataTransferDestinations":"managedApps"}"#, ["saveAsBlocked looser"]
            ),
            (
                #"{"allowedOutboundDataTransferDestinations":"managedApps","allowedDataStorageLocations":["box"]}"#,
                #"{"allowedOutboundDataTransferDestinations":"managedApps","saveAsBlocked":true}"#,
                ["saveAsBlocked stricter", "allowedDataStorageLocations stricter"]
            ),
            ("{}", #"{"periodOfflineBeforeAccessCheck":"P1D"}"#, ["periodOfflineBeforeAccessCheck looser"]),
            ("{}", #"{"periodOfflineBeforeAccessCheck":"PT12H"}"#, []),
            ("{}", #"{"previousPinBlockCount":0,"minimumRequiredAppVersion":"0.0"}"#, []),
            ("{}", #"{"minimumPinLength":8}"#, []),
            (
                #"{"allowedOutboundDataTransferDestinations":"managedApps"}"#,
                #"{"allowedOutboundDataTransferDestinations":"managedApps","allowWidgetContentSync":true}"#,
                ["allowWidgetContentSync looser"]
            ),
        ] as [(String, String, [String])])
    func unstated(_ before: String, _ after: String, _ expected: [String]) throws {
        #expect(Self.changes(try Self.merged(before), try Self.merged(after)) == expected)
    }

    @Test("two lists of models without a common member allow none, which is not looser")
    func models() throws {
        let one = try Self.merged(#"{"allowedIosDeviceModels":"a;b"}"#)
        let both = try Self.merged(#"{"allowedIosDeviceModels":"a;b"}"#, #"{"allowedIosDeviceModels":"c"}"#)
        #expect(Self.changes(one, both) == ["allowedIosDeviceModels stricter"])
        #expect(Self.changes(try Self.merged("{}"), one) == ["allowedIosDeviceModels stricter"])
    }

    @Test("without a policy nothing is in force; defaults are described in words")
    func words() throws {
        let day = try Self.merged(#"{"periodOfflineBeforeAccessCheck":"P1D"}"#)
        #expect(Self.changes(EffectivePolicy(merging: []), day) == ["periodOfflineBeforeAccessCheck stricter"])
        #expect(
            try Self.merged("{}").changes(to: day).map(\.message) == [
                "periodOfflineBeforeAccessCheck: what holds unstated (\"PT12H\") becomes \"P1D\": looser"
            ])
    }
}
