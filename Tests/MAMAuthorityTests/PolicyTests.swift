import Foundation
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

@Suite("policies")
struct PolicyTests {
    static let sharedFiles = AuthorityFixture.sharedFiles("policies")

    @Test("exports of other projects round-trip", .enabled(if: !sharedFiles.isEmpty), arguments: sharedFiles)
    func shared(path: String) throws {
        try roundTrip(JSON(parsing: Array(Data(contentsOf: URL(fileURLWithPath: path)))), type: nil)
    }

    static let documents = [
        #"{}"#, #"[{}]"#, #"{"value":{"id":"a"}}"#, #"{"value":[{"id":"a"}],"@odata.context":"x"}"#,
        #"[{"id":"a","n":1.50},{"id":"b","n":-0},{"id":""},{"id":null}]"#,
        #"{"id":"A","displayName":"Zoë \u0001 \ud83d\ude00","x":{"deep":[[[{"y":null}]]]},"minimumPinLength":99999}"#,
        #"{"id":"a","assignments":7,"apps":{"x":1},"appGroupType":[]}"#,
    ]

    @Test("documents round-trip with their wrapper", arguments: documents)
    func own(_ text: String) throws { try roundTrip(JSON(parsing: text), type: "ios") }

    private func roundTrip(_ document: JSON, type: String?) throws {
        let fixture = try AuthorityFixture(empty: true)
        for (document, shown) in try fixture.roundTrip(document, "policy", "policies", type: type) {
            let metadata = [
                "id", "displayName", "createdDateTime", "lastModifiedDateTime", "description", "version",
                "roleScopeTagIds", "isAssigned", "deployedAppCount",
            ]
            let properties = (document.object ?? []).map(\.key).filter {
                !$0.contains("@") && !$0.hasPrefix("#") && !metadata.contains($0)
            }
            #expect(shown["properties"]?.array?.count == properties.count)
        }
    }

    @Test("a summary")
    func summary() throws {
        let fixture = try AuthorityFixture()
        let policy = try fixture.perform("policy.show", ["policy": "STRICT"])
        let keys = [
            "id", "displayName", "platform", "type", "encryptsFiles", "import", "groups", "excludedGroups", "allUsers",
            "apps",
            "allApps", "counts", "properties", "warnings",
        ]
        #expect(policy.object?.map(\.key) == keys)
        #expect(policy["platform"] == "ios")
        #expect(policy["allUsers"] == true)
        #expect(policy["apps"] == ["notes"])
    }

    @Test("an import is atomic")
    func allOrNothing() throws {
        let fixture = try AuthorityFixture(empty: true)
        for document in [#"[{"id":"a"},{"id":"A"}]"#, #"[{"id":"a"},{"id":7}]"#, #"[{"id":"a"},7]"#] {
            #expect(try fixture.refusal("policy.import", ["document": JSON(parsing: document), "type": "ios"]) != nil)
        }
        let many = JSON.array(Array(repeating: [:], count: 1001))
        #expect(try fixture.refusal("policy.import", ["document": many, "type": "ios"])?.code == .argument)
        #expect(try fixture.perform("policy.list")["policies"] == [])
    }

    @Test("a policy with a known id replaces that one and keeps place, assignments and apps")
    func replace() throws {
        let fixture = try AuthorityFixture()
        try fixture.perform("policy.import", ["document": AuthorityFixture.policy(id: "second")])
        let old = try fixture.perform("policy.show", ["policy": "strict"])
        let type = JSON("#microsoft.graph.iosManagedAppProtection")
        let new = JSON.object([
            ("@odata.type", type), ("id", "Strict"), ("apps", [["mobileAppIdentifier": ["packageId": "mail"]]]),
        ])
        let reply = try fixture.perform("policy.import", ["document": new])
        #expect(reply["policies"]?.array?.first?["apps"] == ["notes", "mail"])
        let list = try #require(try fixture.perform("policy.list")["policies"]?.array)
        #expect(list.map { $0["id"] } == ["Strict", "second"])
        #expect(list[0]["allUsers"] == true)
        #expect(try fixture.perform("policy.export", ["policy": "strict"])["document"] == new)
        // The former import is gone with its last document.
        let former = try #require(old["import"])
        #expect(try fixture.refusal("policy.export", ["import": former])?.code == .notFound)
    }

    @Test("a removed policy is deleted, and its import with its last policy")
    func remove() throws {
        let fixture = try AuthorityFixture(empty: true)
        let reply = try fixture.perform("policy.import", ["document": [["id": "a"], ["id": "b"]], "type": "ios"])
        let number = try #require(reply["import"])
        #expect(try fixture.perform("policy.remove", ["policy": "a"])["id"] == "a")
        #expect(try fixture.perform("policy.export", ["policy": "b"])["document"]?["id"] == "b")
        #expect(try fixture.perform("policy.export", ["import": number])["document"]?.array?.count == 2)
        try fixture.perform("policy.remove", ["policy": "b"])
        #expect(try fixture.refusal("policy.export", ["import": number])?.code == .notFound)
    }

    @Test("invalid assignments and apps are reported, and reach no user")
    func warnings() throws {
        let fixture = try AuthorityFixture(empty: true)
        let document = try JSON(
            parsing: """
                {"id":"a","saveAsBlocked":"perhaps","assignments":[{"target":{"groupId":"g"}},{},7,
                 {"target":{"@odata.type":"#microsoft.graph.allDevicesAssignmentTarget"}},
                 {"target":{"@odata.type":"#microsoft.graph.groupAssignmentTarget"}}],
                 "apps":[{},{"mobileAppIdentifier":{"bundleId":7}}]}
                """)
        let reply = try fixture.perform("policy.import", ["document": document, "type": "ios"])
        let settings = reply["warnings"]?.array?.compactMap { $0["setting"]?.string }
        #expect(settings?.filter { $0 == "assignments" }.count == 5)
        #expect(settings?.filter { $0 == "apps" }.count == 2)
        #expect(reply["policies"]?.array?.first?["groups"] == [])
        #expect(try fixture.perform("policy.show", ["policy": "a"])["warnings"] == reply["warnings"])
    }

    @Test("a document of many megabytes")
    func large() throws {
        let fixture = try AuthorityFixture(empty: true)
        let text = JSON.string(String(repeating: "\u{7F}x\"", count: 2 << 20))
        let document = JSON.object([("id", "large"), ("description", text)])
        try fixture.perform("policy.import", ["document": document, "type": "ios"])
        #expect(try fixture.perform("policy.export", ["policy": "large"])["document"] == document)
    }
}
