import Foundation
import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority

@Suite("importing app configurations")
struct ConfigurationImportTests {
    static let sharedFiles = Office.sharedFiles("app-config")

    @Test("the exports of others come out as they went in", .enabled(if: !sharedFiles.isEmpty), arguments: sharedFiles)
    func shared(path: String) throws {
        try roundTrip(JSON(parsing: Array(Data(contentsOf: URL(fileURLWithPath: path)))))
    }

    static let documents = [
        #"{}"#, #"[{}]"#, #"{"value":{"id":"a"}}"#, #"{"value":[{"id":"a"}],"@odata.context":"x"}"#,
        #"[{"id":"a","n":1.50,"customSettings":null},{"id":"b","customSettings":[]},{"id":""},{"id":null}]"#,
        #"{"id":"A","customSettings":[{"name":"z","value":"\u0001 é","@odata.type":"x"},{"name":" a\n","value":""}]}"#,
        #"{"id":"d","customSettings":[{"name":"__IsDefault","value":"True"}]}"#,
    ]

    @Test("documents come out as they went in, wrapper included", arguments: documents)
    func own(_ text: String) throws { try roundTrip(JSON(parsing: text)) }

    private func roundTrip(_ document: JSON) throws {
        let office = try Office(empty: true)
        for (document, shown) in try office.roundTrip(document, "config", "configurations", type: "config") {
            let settings = document["customSettings"]?.array ?? []
            #expect(shown["values"]?.object?.count == settings.count { $0["name"] != "__IsDefault" })
        }
    }

    @Test("a summary")
    func summary() throws {
        let office = try Office(empty: true)
        try office.perform("config.import", ["document": Office.configuration(id: "Red", ["b": "2", "a": "1"])])
        let red = try office.perform("config.show", ["config": "rED"])
        let keys = [
            "id", "displayName", "tenantDefault", "type", "import", "groups", "excludedGroups", "allUsers", "apps",
            "allApps", "settings", "values", "warnings",
        ]
        #expect(red.object?.map(\.key) == keys)
        #expect(red["tenantDefault"] == false && red["settings"] == 2)
        #expect(red["values"] == ["a": "1", "b": "2"])
    }

    @Test("an export's own assignments and apps count, and what cannot be used there is told")
    func reach() throws {
        let office = try Office(empty: true)
        let document = try JSON(
            parsing: """
                {"id":"a","appGroupType":"allApps","apps":[{"mobileAppIdentifier":{"packageId":"notes"}},7],
                 "assignments":[{"target":{"@odata.type":"#microsoft.graph.exclusionGroupAssignmentTarget","groupId":"g"}},
                 {"target":{"@odata.type":"#microsoft.graph.allLicensedUsersAssignmentTarget"}}]}
                """)
        let reply = try office.perform("config.import", ["document": document, "type": "config"])
        let summary = try #require(reply["configurations"]?.array?.first)
        #expect(summary["apps"] == ["notes"] && summary["excludedGroups"] == ["g"])
        #expect(summary["allUsers"] == true && summary["allApps"] == true)
        #expect(reply["warnings"]?.array?.map { $0["configurationId"] } == ["a"])
        #expect(try office.perform("config.show", ["config": "a"])["warnings"] == reply["warnings"])
    }

    @Test("one with a known id replaces that one and keeps place, assignments and apps")
    func replace() throws {
        let office = try Office()
        for id in ["red", "blue"] {
            try office.perform("config.import", ["document": Office.configuration(id: id, ["color": "x"])])
        }
        try office.perform("config.target", ["config": "red", "app": "notes"])
        try office.perform("config.import", ["document": Office.configuration(id: "RED", [:])])
        let list = try office.perform("config.list")["configurations"]?.array
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

    /// A document with so many settings of so many bytes.
    private static func settings(_ count: Int, bytes: Int = 1) -> String {
        let value = String(repeating: "v", count: bytes)
        let settings = (0..<count).map { #"{"name":"\#($0)","value":"\#(value)"}"# }
        return #"{"id":"a","customSettings":["# + settings.joined(separator: ",") + "]}"
    }

    @Test("what cannot be delivered as it stands is refused by name, and nothing of its export is kept")
    func refusals() throws {
        let office = try Office(empty: true)
        try office.perform("config.import", ["document": Office.configuration(id: "a", ["color": "red"])])
        let before = try office.perform("config.export", ["config": "a"])
        for (text, code, named) in ConfigurationImportTests.refused {
            let document = try JSON(parsing: Array(text.utf8), limit: 16 << 20)
            let error = try office.refusal("config.import", ["document": document, "type": "config"])
            #expect(error?.code == code, "\(text.prefix(200))")
            #expect(error?.message.contains(named) == true, "\(error?.message ?? "")")
            #expect((error?.message.utf8.count ?? 0) < 400)
        }
        // JSON of a request cannot hold NUL; what comes another way is looked at all the same.
        let holdsNUL = Office.configuration(id: "a", ["x\0y": "x"])
        #expect(try office.refusal("config.import", ["document": holdsNUL])?.message.contains("NUL") == true)
        #expect(try office.perform("config.export", ["config": "a"]) == before)
        #expect(try office.perform("authority.show")["configurations"] == 1)
    }

    @Test("the largest that is allowed arrives whole")
    func largest() throws {
        let office = try Office()
        let value = String(repeating: "\u{7F}x\"é", count: (4 << 20) / 5 - 1)
        try office.perform("config.import", ["document": Office.configuration(id: "large", ["key": value])])
        try office.perform(
            "config.import",
            ["document": JSON(parsing: Array(ConfigurationImportTests.settings(10_000).utf8)), "type": "config"])
        for id: JSON in ["large", "a"] {
            try office.perform("config.assign", ["config": id, "allUsers": true])
            try office.perform("config.target", ["config": id, "allApps": true])
        }
        let app = App(office)
        let received = try app.checkIn(app.enroll()).configurations
        #expect(received.first?.values.first?.value == value)
        #expect(received.last?.values.count == 10_000)
    }
}
