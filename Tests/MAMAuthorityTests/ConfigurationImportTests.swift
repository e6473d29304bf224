import Foundation
import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

@Suite("importing app configurations")
struct ConfigurationImportTests {
    static let sharedFiles = AuthorityFixture.sharedFiles("app-config")

    @Test("exports of other projects round-trip", .enabled(if: !sharedFiles.isEmpty), arguments: sharedFiles)
    func shared(path: String) throws {
        try roundTrip(JSON(parsing: Array(Data(contentsOf: URL(fileURLWithPath: path)))))
    }

    static let documents = [
        #"{}"#, #"[{}]"#, #"{"value":{"id":"a"}}"#, #"{"value":[{"id":"a"}],"@odata.context":"x"}"#,
        #"[{"id":"a","n":1.50,"customSettings":null},{"id":"b","customSettings":[]},{"id":""},{"id":null}]"#,
        #"{"id":"A","customSettings":[{"name":"z","value":"\u0001 é","@odata.type":"x"},{"name":" a\n","value":""}]}"#,
        #"{"id":"d","customSettings":[{"name":"__IsDefault","value":"True"}]}"#,
    ]

    @Test("documents round-trip with their wrapper", arguments: documents)
    func own(_ text: String) throws { try roundTrip(JSON(parsing: text)) }

    private func roundTrip(_ document: JSON) throws {
        let fixture = try AuthorityFixture(empty: true)
        for (document, shown) in try fixture.roundTrip(document, "config", "configurations", type: "config") {
            let settings = document["customSettings"]?.array ?? []
            #expect(shown["values"]?.object?.count == settings.count { $0["name"] != "__IsDefault" })
        }
    }

    @Test("a summary")
    func summary() throws {
        let fixture = try AuthorityFixture(empty: true)
        try fixture.perform(
            "config.import", ["document": AuthorityFixture.configuration(id: "Red", ["b": "2", "a": "1"])])
        let red = try fixture.perform("config.show", ["config": "rED"])
        let keys = [
            "id", "displayName", "tenantDefault", "type", "import", "groups", "excludedGroups", "allUsers", "apps",
            "allApps", "settings", "values", "warnings",
        ]
        #expect(red.object?.map(\.key) == keys)
        #expect(red["tenantDefault"] == false && red["settings"] == 2)
        #expect(red["values"] == ["a": "1", "b": "2"])
    }

    @Test("an export's assignments and apps apply, and unusable ones are reported")
    func reach() throws {
        let fixture = try AuthorityFixture(empty: true)
        let document = try JSON(
            parsing: """
                {"id":"a","appGroupType":"allApps","apps":[{"mobileAppIdentifier":{"packageId":"notes"}},7],
                 "assignments":[{"target":{"@odata.type":"#microsoft.graph.exclusionGroupAssignmentTarget","groupId":"g"}},
                 {"target":{"@odata.type":"#microsoft.graph.allLicensedUsersAssignmentTarget"}}]}
                """)
        let reply = try fixture.perform("config.import", ["document": document, "type": "config"])
        let summary = try #require(reply["configurations"]?.array?.first)
        #expect(summary["apps"] == ["notes"] && summary["excludedGroups"] == ["g"])
        #expect(summary["allUsers"] == true && summary["allApps"] == true)
        #expect(reply["warnings"]?.array?.map { $0["configurationId"] } == ["a"])
        #expect(try fixture.perform("config.show", ["config": "a"])["warnings"] == reply["warnings"])
    }

    @Test("a configuration with a known id replaces that one and keeps place, assignments and apps")
    func replace() throws {
        let fixture = try AuthorityFixture()
        for id in ["red", "blue"] {
            try fixture.perform("config.import", ["document": AuthorityFixture.configuration(id: id, ["color": "x"])])
        }
        try fixture.perform("config.target", ["config": "red", "app": "notes"])
        try fixture.perform("config.import", ["document": AuthorityFixture.configuration(id: "RED", [:])])
        let list = try fixture.perform("config.list")["configurations"]?.array
        #expect(list?.map { $0["id"] } == ["RED", "blue"])
        #expect(list?[0]["apps"] == ["notes"] && list?[0]["settings"] == 0)
    }

    static let refused: [(document: String, code: MAMError.Code, named: String)] = [
        (#"7"#, .json, "document"), (#"[]"#, .json, "no configuration"),
        (#"[{"id":"a"},7]"#, .json, "2"), (#"[{"id":"a"},{"id":"A"}]"#, .argument, #""A""#),
        (#"{"id":7}"#, .json, "id"),
        (##"{"id":"a","@odata.type":"#microsoft.graph.iosManagedAppProtection"}"##, .argument, "iosManagedApp"),
        (#"{"id":"a","customSettings":{}}"#, .json, "customSettings"),
        (#"{"id":"a","customSettings":[{"value":"x"}]}"#, .json, "setting 1"),
        (#"{"id":"a","customSettings":[{"name":"size","value":5}]}"#, .json, #""size""#),
        (#"{"id":"a","customSettings":[{"name":"size"}]}"#, .json, #""size""#),
        (#"{"id":"a","customSettings":[{"name":"","value":"x"}]}"#, .argument, "without a name"),
        (#"{"id":"a","customSettings":[{"name":"x","value":"1"},{"name":"x","value":"1"}]}"#, .argument, #""x""#),
        (
            #"{"id":"a","customSettings":[{"name":"__IsDefault","value":"1"},{"name":"__IsDefault","value":"1"}]}"#,
            .argument, "__IsDefault"
        ),
        (settings(10_001), .argument, "10001"), (settings(3, bytes: 2 << 20), .argument, "4194304"),
    ]

    /// A document with `count` settings of `bytes` bytes.
    private static func settings(_ count: Int, bytes: Int = 1) -> String {
        let value = String(repeating: "v", count: bytes)
        let settings = (0..<count).map { #"{"name":"\#($0)","value":"\#(value)"}"# }
        return #"{"id":"a","customSettings":["# + settings.joined(separator: ",") + "]}"
    }

    @Test("a document that cannot be delivered is refused by name, with its whole export")
    func refusals() throws {
        let fixture = try AuthorityFixture(empty: true)
        try fixture.perform("config.import", ["document": AuthorityFixture.configuration(id: "a", ["color": "red"])])
        let before = try fixture.perform("config.export", ["config": "a"])
        for (text, code, named) in ConfigurationImportTests.refused {
            let document = try JSON(parsing: Array(text.utf8), limit: 16 << 20)
            let error = try fixture.refusal("config.import", ["document": document, "type": "config"])
            #expect(error?.code == code, "\(text.prefix(200))")
            #expect(error?.message.contains(named) == true, "\(error?.message ?? "")")
            #expect((error?.message.utf8.count ?? 0) < 400)
        }
        // JSON cannot hold NUL, but values that come from elsewhere are checked as well.
        let holdsNUL = AuthorityFixture.configuration(id: "a", ["x\0y": "x"])
        #expect(try fixture.refusal("config.import", ["document": holdsNUL])?.message.contains("NUL") == true)
        #expect(try fixture.perform("config.export", ["config": "a"]) == before)
        #expect(try fixture.perform("authority.show")["configurations"] == 1)
    }

    @Test("the largest configuration is delivered unchanged")
    func largest() throws {
        let fixture = try AuthorityFixture()
        let value = String(repeating: "\u{7F}x\"é", count: (4 << 20) / 5 - 1)
        try fixture.perform("config.import", ["document": AuthorityFixture.configuration(id: "large", ["key": value])])
        try fixture.perform(
            "config.import",
            ["document": JSON(parsing: Array(ConfigurationImportTests.settings(10_000).utf8)), "type": "config"])
        for id: JSON in ["large", "a"] {
            try fixture.perform("config.assign", ["config": id, "allUsers": true])
            try fixture.perform("config.target", ["config": id, "allApps": true])
        }
        let app = App(fixture)
        let received = try app.checkIn(app.enroll()).configurations
        #expect(received.first?.values.first?.value == value)
        #expect(received.last?.values.count == 10_000)
    }
}
