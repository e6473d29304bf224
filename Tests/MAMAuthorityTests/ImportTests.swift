import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory
import MAMPolicy

@Suite("imports")
struct ImportTests {
    private static let context = "https://graph.microsoft.com/beta/$metadata#deviceAppManagement/"
    private static let everybody =
        ##"[{"target":{"@odata.type":"#microsoft.graph.allLicensedUsersAssignmentTarget"}}]"##

    /// An authority whose only policy is the tenant default.
    private func fixture() throws -> AuthorityFixture {
        let fixture = try AuthorityFixture(empty: true)
        try fixture.perform("user.add", ["upn": "ann@contoso.example"])
        try fixture.perform(
            "policy.import", ["document": AuthorityFixture.policy(id: "tenant", type: "defaultManagedAppProtection")])
        return fixture
    }

    private func policies(_ fixture: AuthorityFixture) throws -> [String] {
        let app = App(fixture)
        return try app.checkIn(app.enroll()).policies.map(\.id)
    }

    @Test(
        "a refused import changes nothing, and the tenant default stays in force",
        arguments: [
            #"{"hello":"world"}"#,
            ##"{"@odata.type":"#microsoft.graph.iosCompliancePolicy","appGroupType":"allApps"}"##,
            #"{"appGroupType":"allApps"}"#, #"[{"appGroupType":"allApps"}]"#,
            ##"[{"@odata.type":"#microsoft.graph.iosManagedAppProtection","appGroupType":"allApps"},{"hello":"world"}]"##,
            ##"[{"@odata.type":"#microsoft.graph.iosManagedAppProtection"},{"@odata.type":"#microsoft.graph.targetedManagedAppConfiguration","customSettings":7}]"##,
            ##"{"@odata.type":"#microsoft.graph.iosManagedAppProtection","displayName":"TENANT","id":7}"##,
        ])
    func refused(_ text: String) throws {
        let fixture = try fixture()
        var document = try JSON(parsing: text)
        if let members = document.object {
            document = .object(members + [("assignments", try JSON(parsing: ImportTests.everybody))])
        }
        #expect(try fixture.refusal("policy.import", ["document": document]) != nil)
        #expect(try fixture.perform("policy.list")["policies"]?.array?.count == 1)
        #expect(try fixture.perform("config.list")["configurations"] == [])
        #expect(try policies(fixture) == ["tenant"])
    }

    @Test("an app configuration in a policy import is stored as such, and the tenant default stays in force")
    func configuration() throws {
        let fixture = try fixture()
        let document = AuthorityFixture.configuration(id: "red", ["color": "red"])
        let reply = try fixture.perform("policy.import", ["document": document])
        #expect(reply["policies"] == [] && reply["configurations"]?.array?.count == 1)
        try fixture.perform("config.assign", ["config": "red", "allUsers": true])
        try fixture.perform("config.target", ["config": "red", "allApps": true])
        let app = App(fixture)
        let received = try app.checkIn(app.enroll())
        #expect(received.policies.map(\.id) == ["tenant"] && received.configurations.map(\.id) == ["red"])
    }

    @Test("a mixed document is imported into both stores, and exported whole from each")
    func mixed() throws {
        let fixture = try fixture()
        let document: JSON = [
            "@odata.context": .string(ImportTests.context + "managedAppPolicies"),
            "value": [
                AuthorityFixture.policy(id: "a"), AuthorityFixture.configuration(id: "a", ["k": "v"]),
                AuthorityFixture.policy(id: "b"),
            ],
        ]
        let reply = try fixture.perform("policy.import", ["document": document])
        #expect(reply["policies"]?.array?.map { $0["id"] } == ["a", "b"])
        #expect(reply["configurations"]?.array?.map { $0["id"] } == ["a"])
        let number = try #require(reply["import"])
        for kind in ["policy", "config"] {
            #expect(try fixture.perform("\(kind).export", ["import": number])["document"] == document)
        }
        #expect(
            try fixture.perform("config.export", ["config": "a"])["document"]
                == AuthorityFixture.configuration(id: "a", ["k": "v"]))
        let alone = try fixture.refusal("config.import", ["document": document])
        #expect(alone?.code == .argument && alone?.message.contains("policy.import") == true)
        // A document that cannot be stored fails the whole import.
        let second: JSON = [AuthorityFixture.policy(id: "c"), AuthorityFixture.configuration(id: "d", ["k\0": "v"])]
        #expect(try fixture.refusal("policy.import", ["document": second]) != nil)
        #expect(try fixture.refusal("policy.show", ["policy": "c"])?.code == .notFound)
    }

    @Test("a type stated by a context or by the caller is stored with the policy")
    func type() throws {
        let fixture = try fixture()
        let list: JSON = [
            "@odata.context": .string(ImportTests.context + "androidManagedAppProtections"),
            "value": [["id": "a"], ["id": "b"]],
        ]
        let reply = try fixture.perform("policy.import", ["document": list])
        #expect(reply["policies"]?.array?.map { $0["platform"] } == ["android", "android"])
        try fixture.perform("policy.import", ["document": ["id": "c"], "type": "default"])
        #expect(
            try fixture.perform("policy.show", ["policy": "c"])["type"]
                == "#microsoft.graph.defaultManagedAppProtection"
        )
        try fixture.perform("policy.import", ["document": ["id": "d"], "type": "config"])
        #expect(try fixture.perform("config.show", ["config": "d"])["values"] == [:])
    }

    @Test("a document without id and with a known name and type is refused, or replaces")
    func replace() throws {
        let fixture = try fixture()
        func document(_ type: String, _ blocked: Bool) -> JSON {
            [
                "@odata.type": .string("#microsoft.graph.\(type)"), "displayName": "Strict",
                "printBlocked": .bool(blocked),
            ]
        }
        let ios = document("iosManagedAppProtection", false)
        let first = try fixture.perform("policy.import", ["document": ios])["policies"]?.array?.first?["id"]
        let id = try #require(first)
        try fixture.perform("policy.target", ["policy": id, "app": "notes"])
        let error = try fixture.refusal("policy.import", ["document": document("iosManagedAppProtection", true)])
        #expect(error?.code == .already && error?.message.contains("--replace") == true)
        #expect(error?.message.contains(id.string ?? "") == true)
        // Another type, or an id, makes it another document.
        try fixture.perform("policy.import", ["document": document("androidManagedAppProtection", true)])
        let replaced = try fixture.perform(
            "policy.import", ["document": document("iosManagedAppProtection", true), "replace": true])
        #expect(replaced["policies"]?.array?.first?["id"] == id)
        #expect(replaced["policies"]?.array?.first?["apps"] == ["notes"])
        #expect(try fixture.perform("policy.list")["policies"]?.array?.count == 3)
        try fixture.perform("policy.import", ["document": .object((ios.object ?? []) + [("id", "own")])])
        let unclear = try fixture.refusal("policy.import", ["document": ios, "replace": true])
        #expect(unclear?.code == .argument && unclear?.message.contains("2 policies") == true)
        // Documents without a name cannot be recognised.
        for _ in 0..<2 { try fixture.perform("policy.import", ["document": [:], "type": "ios"]) }
        let red: JSON = ["displayName": "Red", "customSettings": []]
        try fixture.perform("config.import", ["document": red, "type": "config"])
        #expect(try fixture.refusal("config.import", ["document": red, "type": "config"])?.code == .already)
        try fixture.perform("config.import", ["document": red, "type": "config", "replace": true])
        #expect(try fixture.perform("config.list")["configurations"]?.array?.count == 1)
    }

    @Test("a document with the id of a policy of another type is refused, or replaces")
    func otherType() throws {
        let fixture = try fixture()
        let ios = AuthorityFixture.policy(id: "tenant", type: "iosManagedAppProtection")
        let error = try fixture.refusal("policy.import", ["document": [AuthorityFixture.policy(id: "new"), ios]])
        #expect(error?.code == .already && error?.message.contains("--replace") == true)
        for word in ["defaultManagedAppProtection", "iosManagedAppProtection", "tenant"] {
            #expect(error?.message.contains(word) == true)
        }
        #expect(try fixture.perform("policy.list")["policies"]?.array?.map { $0["platform"] } == ["default"])
        try fixture.perform("policy.import", ["document": ios, "replace": true])
        #expect(try fixture.perform("policy.list")["policies"]?.array?.map { $0["platform"] } == ["ios"])
    }

    @Test("two documents with one name and type need ids")
    func sameNames() throws {
        let fixture = try fixture()
        func document(_ type: String, _ name: String) -> JSON {
            ["@odata.type": .string("#microsoft.graph.\(type)"), "displayName": .string(name)]
        }
        let twice: JSON = [
            document("iosManagedAppProtection", "Strict"), document("iosManagedAppProtection", "STRICT"),
        ]
        let error = try fixture.refusal("policy.import", ["document": twice])
        #expect(error?.code == .argument && error?.message.contains("give each an id") == true)
        #expect(try fixture.perform("policy.list")["policies"]?.array?.count == 1)
        let both: JSON = [
            document("iosManagedAppProtection", "Strict"), document("androidManagedAppProtection", "Strict"),
        ]
        try fixture.perform("policy.import", ["document": both])
    }

    @Test("import, show and lint report the same warnings, except about apps targeted since")
    func warnings() throws {
        let fixture = try fixture()
        let document = try JSON(
            parsing: ##"""
                {"@odata.type":"#microsoft.graph.iosManagedAppProtection","id":"a","printBlock":true,
                 "#microsoft.graph.assign":{},"exemptedAppProtocols":[{"name":"Z","value":"zoommtg"}],
                 "appGroupType":"selectedPublicApps","apps":[],
                 "assignments":[{"target":{"@odata.type":"#microsoft.graph.allLicensedUsersAssignmentTarget",
                  "deviceAndAppManagementAssignmentFilterId":"1","deviceAndAppManagementAssignmentFilterType":"include"}}]}
                """##)
        let warnings = try fixture.perform("policy.import", ["document": document])["warnings"]?.array
        let settings = ["printBlock", "exemptedAppProtocols", "appGroupType", "assignments"]
        #expect(warnings?.compactMap { $0["setting"]?.string } == settings)
        #expect(warnings?.first?["message"]?.string?.contains("printBlocked") == true)
        #expect(warnings?.allSatisfy { $0["policyId"] == "a" } == true)
        try fixture.perform("policy.target", ["policy": "a", "allApps": true])
        let shown = try fixture.perform("policy.show", ["policy": "a"])["warnings"]?.array
        #expect(shown?.compactMap { $0["setting"]?.string } == settings.filter { $0 != "appGroupType" })
    }
}
