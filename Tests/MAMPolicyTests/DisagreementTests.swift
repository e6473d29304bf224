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

    @Test("each says what holds, and why")
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

    @Test("the same in other words is no disagreement")
    func synonyms() throws {
        #expect(try told(#"{"periodBeforePinReset":"P1D"}"#, #"{"periodBeforePinReset":"PT24H"}"#).isEmpty)
        #expect(
            try told(
                #"{"saveAsBlocked":true,"allowedDataStorageLocations":["box","egnyte"]}"#,
                #"{"saveAsBlocked":true,"allowedDataStorageLocations":["egnyte","box"]}"#
            ).isEmpty)
        #expect(EffectivePolicy.lockDown.disagreements.isEmpty)
    }
}
