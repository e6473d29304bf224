import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("diff")
struct DiffTests {
    static func effective(_ text: String) throws -> EffectivePolicy {
        EffectivePolicy(merging: [try document(text, id: "p")])
    }

    private static func android(_ setting: String, _ value: String) -> String { policy("android", setting, value) }
    private static func windows(_ setting: String, _ value: String) -> String { policy("windows", setting, value) }
    private static func policy(_ platform: String, _ setting: String, _ value: String) -> String {
        ##"{"@odata.type":"#microsoft.graph.\##(platform)ManagedAppProtection","\##(setting)":"\##(value)"}"##
    }

    @Test("a value that differs by platform is shown with the platform")
    func platform() throws {
        let setting = "allowedOutboundDataTransferDestinations"
        let changes = try Self.effective(Self.android(setting, "none"))
            .changes(to: try Self.effective(Self.windows(setting, "none")))
        #expect(changes.map(\.message) == [#"\#(setting): "none" becomes "none" of a windows policy: looser"#])
    }

    @Test(
        "each direction agrees with the merge",
        arguments: [
            (#"{"printBlocked":false}"#, #"{"printBlocked":true}"#, "printBlocked stricter"),
            (#"{"printBlocked":true}"#, "{}", "printBlocked looser"),
            (
                #"{"allowedOutboundDataTransferDestinations":"managedApps"}"#,
                #"{"allowedOutboundDataTransferDestinations":"none"}"#,
                "allowedOutboundDataTransferDestinations stricter"
            ),
            (
                #"{"pinRequired":true,"periodBeforePinReset":"P90D"}"#,
                #"{"pinRequired":true,"periodBeforePinReset":"PT0S"}"#, "periodBeforePinReset looser"
            ),
            (#"{"periodBeforePinReset":"P90D"}"#, #"{"periodBeforePinReset":"PT0S"}"#, ""),
            (#"{"periodBeforePinReset":"P1D"}"#, #"{"periodBeforePinReset":"PT24H"}"#, ""),
            (
                ##"{"@odata.type":"#libmam.linuxManagedAppProtection","minimumRequiredAppVersion":"1.9"}"##,
                ##"{"@odata.type":"#libmam.linuxManagedAppProtection","minimumRequiredAppVersion":"1.10"}"##,
                "minimumRequiredAppVersion stricter"
            ),
            (
                #"{"allowedOutboundDataTransferDestinations":"managedApps","saveAsBlocked":true,"allowedDataStorageLocations":["box","egnyte"]}"#,
                #"{"allowedOutboundDataTransferDestinations":"managedApps","saveAsBlocked":true,"allowedDataStorageLocations":["box","iManage"]}"#,
                "allowedDataStorageLocations different"
            ),
            (
                #"{"allowedOutboundDataTransferDestinations":"managedApps","saveAsBlocked":false,"allowedDataStorageLocations":["box"]}"#,
                #"{"allowedOutboundDataTransferDestinations":"managedApps","saveAsBlocked":true,"allowedDataStorageLocations":["box","egnyte"]}"#,
                "saveAsBlocked stricter, allowedDataStorageLocations stricter"
            ),
            (
                #"{"customBrowserProtocol":"fx"}"#, #"{"customBrowserProtocol":"dolphin"}"#,
                "customBrowserProtocol different"
            ),
            (
                #"{"allowedOutboundDataTransferDestinations":"managedApps"}"#,
                #"{"allowedOutboundDataTransferDestinations":"managedApps","exemptedAppProtocols":[]}"#,
                "exemptedAppProtocols stricter"
            ),
            // Telephone links follow their own setting; the order of a list has no effect.
            (
                #"{"allowedOutboundDataTransferDestinations":"managedApps","exemptedAppProtocols":["tel","fx","telprompt"]}"#,
                #"{"allowedOutboundDataTransferDestinations":"managedApps","exemptedAppProtocols":["fx"]}"#, ""
            ),
            (
                #"{"allowedOutboundDataTransferDestinations":"none","exemptedAppProtocols":["fx"]}"#,
                #"{"allowedOutboundDataTransferDestinations":"none","exemptedAppProtocols":[]}"#, ""
            ),
            // The default of a check, set explicitly.
            (
                #"{"maximumAllowedDeviceThreatLevel":"low"}"#,
                #"{"maximumAllowedDeviceThreatLevel":"low","mobileThreatDefenseRemediationAction":"block"}"#, ""
            ),
            (
                #"{"deviceComplianceRequired":false}"#,
                #"{"deviceComplianceRequired":true,"appActionIfDeviceComplianceRequired":"block"}"#,
                "deviceComplianceRequired stricter"
            ),
            // The same number when its enabling setting is switched on.
            (
                #"{"minimumPinLength":0,"pinRequired":false}"#, #"{"minimumPinLength":0,"pinRequired":true}"#,
                "pinRequired stricter"
            ),
            (
                #"{"allowedOutboundClipboardSharingLevel":"allApps","allowedOutboundClipboardSharingExceptionLength":0}"#,
                #"{"allowedOutboundClipboardSharingLevel":"blocked","allowedOutboundClipboardSharingExceptionLength":0}"#,
                "allowedOutboundClipboardSharingLevel stricter"
            ),
            // Windows' "none" allows the organisation's accounts; that of mobile policies allows nobody.
            (
                android("allowedOutboundDataTransferDestinations", "none"),
                windows("allowedOutboundDataTransferDestinations", "none"),
                "allowedOutboundDataTransferDestinations looser"
            ),
            (
                windows("allowedInboundDataTransferSources", "none"),
                android("allowedInboundDataTransferSources", "none"), "allowedInboundDataTransferSources stricter"
            ),
            (
                android("allowedInboundDataTransferSources", "managedApps"),
                windows("allowedInboundDataTransferSources", "none"), "allowedInboundDataTransferSources stricter"
            ),
            (
                android("allowedOutboundClipboardSharingLevel", "blocked"),
                windows("allowedOutboundClipboardSharingLevel", "none"), "allowedOutboundClipboardSharingLevel looser"
            ),
            (
                android("allowedOutboundClipboardSharingLevel", "managedApps"),
                windows("allowedOutboundClipboardSharingLevel", "none"), ""
            ),
            (
                windows("allowedOutboundDataTransferDestinations", "none"),
                windows("allowedOutboundDataTransferDestinations", "none"), ""
            ),
        ])
    func direction(_ before: String, _ after: String, _ expected: String) throws {
        let changes = try Self.effective(before).changes(to: try Self.effective(after))
        #expect(changes.map { "\($0.setting) \($0.direction.rawValue)" }.joined(separator: ", ") == expected)
    }

    @Test("the merge is never looser than a part, and equals itself")
    func laws() throws {
        var random = Seeded(3)
        for round in 0..<5_000 {
            let targeted = try PolicyDocument.randomSet(&random).filter { !$0.isTenantDefault }
            let merged = EffectivePolicy(merging: targeted)
            for document in targeted {
                let part = EffectivePolicy(merging: [document])
                let looser = part.changes(to: merged).filter { $0.direction == .looser }
                #expect(looser == [], "round \(round), from \(document.id)")
                #expect(part.changes(to: part) == [])
            }
            #expect(merged.changes(to: .lockDown).allSatisfy { $0.direction != .looser }, "round \(round)")
        }
    }

    @Test("the reverse diff has the opposite directions")
    func inverse() throws {
        var random = Seeded(4)
        for _ in 0..<1_000 {
            let pair = try (1...2).map { EffectivePolicy(merging: [try PolicyDocument.random(id: "p\($0)", &random)]) }
            let (there, back) = (pair[0].changes(to: pair[1]), pair[1].changes(to: pair[0]))
            #expect(there.map(\.setting) == back.map(\.setting))
            for (a, b) in zip(there, back) {
                #expect((a.direction == .stricter) == (b.direction == .looser))
                #expect(a.before == b.after && a.after == b.before)
            }
        }
    }
}
