import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("disagreements")
struct DisagreementTests {
    private func told(_ texts: String...) throws -> [String] {
        let policies = try texts.enumerated().map { try document($1, id: "p\($0 + 1)") }
        return EffectivePolicy(merging: policies).disagreements.map {
            "\($0.setting): \($0.chosen.text) \($0.resolution.rawValue)"
        }
    }

    @Test("each names the value that holds, and the reason")
    func resolutions() throws {
        #expect(
            try told(#"{"printBlocked":false,"minimumPinLength":4}"#, #"{"printBlocked":true,"minimumPinLength":4}"#)
                == ["printBlocked: true strictest"])
        #expect(
            try told(#"{"customBrowserProtocol":"one"}"#, #"{"customBrowserProtocol":"another"}"#)
                == ["customBrowserProtocol: \"one\" lowestId"])
        #expect(
            try told(
                #"{"saveAsBlocked":true,"allowedDataStorageLocations":["box","egnyte"]}"#,
                #"{"saveAsBlocked":true,"allowedDataStorageLocations":["egnyte","box","iManage"]}"#)
                == ["allowedDataStorageLocations: [\"box\",\"egnyte\"] common"])
    }

    @Test("Windows values are compared by their meaning")
    func platforms() throws {
        func policy(_ platform: String, _ setting: String, _ value: String) -> String {
            ##"{"@odata.type":"#microsoft.graph.\##(platform)ManagedAppProtection","\##(setting)":"\##(value)"}"##
        }
        let (outbound, clipboard) = ("allowedOutboundDataTransferDestinations", "allowedOutboundClipboardSharingLevel")
        #expect(
            try told(policy("windows", outbound, "none"), policy("android", outbound, "none"))
                == ["\(outbound): \"none\" strictest"])
        #expect(
            try told(policy("windows", clipboard, "none"), policy("ios", clipboard, "blocked"))
                == ["\(clipboard): \"blocked\" strictest"])
        #expect(
            try told(policy("windows", clipboard, "none"), policy("ios", clipboard, "managedApps")).isEmpty)
        // The reported policy is the one whose value holds.
        let merged = EffectivePolicy(merging: [
            try document(policy("windows", outbound, "none"), id: "p1"),
            try document(policy("android", outbound, "none"), id: "p2"),
        ])
        #expect(merged.mergedSettings.first { $0.name == outbound }?.origin?.id == "p2")
    }

    @Test("equivalent values are not a disagreement")
    func synonyms() throws {
        #expect(try told(#"{"periodBeforePinReset":"P1D"}"#, #"{"periodBeforePinReset":"PT24H"}"#).isEmpty)
        #expect(
            try told(
                #"{"saveAsBlocked":true,"allowedDataStorageLocations":["box","egnyte"]}"#,
                #"{"saveAsBlocked":true,"allowedDataStorageLocations":["egnyte","box"]}"#
            ).isEmpty)
        #expect(EffectivePolicy.lockDown.disagreements.isEmpty)
    }

    @Test("the source of a value is a policy that sets it, never an absent property")
    func sources() throws {
        func told(_ texts: String..., setting: String) throws -> JSON? {
            let policies = try texts.enumerated().map { try document($1, id: "p\($0 + 1)") }
            return EffectivePolicy(merging: policies).json(accountId: "a")["settings"]?.array?.first {
                $0["setting"]?.string == setting
            }
        }
        let grace = "periodOfflineBeforeAccessCheck"
        let silent = try told("{}", #"{"\#(grace)":"PT24H"}"#, setting: grace)
        #expect(silent?["value"] == "PT12H" && silent?["policyId"] == .null && silent?["alsoIn"] == [])
        let same = try told("{}", #"{"\#(grace)":"PT720M"}"#, setting: grace)
        #expect(same?["value"] == "PT720M" && same?["policyId"] == "p2" && same?["alsoIn"] == [])
        let stricter = try told("{}", #"{"\#(grace)":"PT1H"}"#, #"{"\#(grace)":"PT60M"}"#, setting: grace)
        #expect(stricter?["value"] == "PT1H" && stricter?["policyId"] == "p2" && stricter?["alsoIn"] == ["p3"])
        let policies = [try document("{}", id: "p1"), try document(#"{"\#(grace)":"PT24H"}"#, id: "p2")]
        let values = EffectivePolicy(merging: policies).disagreements.first?.json["values"]?.array
        #expect(values?.map { $0["stated"] } == [false, true])
    }
}
