import MAMSupport
import Testing

@testable import MAMAuthority

@Suite("what is imported")
struct ImportTests {
    private static let context = "https://graph.microsoft.com/beta/$metadata#deviceAppManagement/"
    private static let everybody =
        ##"[{"target":{"@odata.type":"#microsoft.graph.allLicensedUsersAssignmentTarget"}}]"##

    /// An office whose one policy is the tenant default.
    private func office() throws -> Office {
        let office = try Office(empty: true)
        try office.perform("user.add", ["upn": "ann@contoso.example"])
        try office.perform(
            "policy.import", ["document": Office.policy(id: "tenant", type: "defaultManagedAppProtection")])
        return office
    }

    private func policies(_ office: Office) throws -> [String] {
        let app = App(office)
        return try app.checkIn(app.enroll()).policies.map(\.id)
    }

    @Test(
        "what is refused changes nothing: the tenant default stays in force",
        arguments: [
            #"{"hello":"world"}"#,
            ##"{"@odata.type":"#microsoft.graph.iosCompliancePolicy","appGroupType":"allApps"}"##,
            #"{"appGroupType":"allApps"}"#, #"[{"appGroupType":"allApps"}]"#,
            ##"[{"@odata.type":"#microsoft.graph.iosManagedAppProtection","appGroupType":"allApps"},{"hello":"world"}]"##,
            ##"[{"@odata.type":"#microsoft.graph.iosManagedAppProtection"},{"@odata.type":"#microsoft.graph.targetedManagedAppConfiguration","customSettings":7}]"##,
            ##"{"@odata.type":"#microsoft.graph.iosManagedAppProtection","displayName":"TENANT","id":7}"##,
        ])
    func refused(_ text: String) throws {
        let office = try office()
        var document = try JSON(parsing: text)
        if let members = document.object {
            document = .object(members + [("assignments", try JSON(parsing: ImportTests.everybody))])
        }
        #expect(try office.refusal("policy.import", ["document": document]) != nil)
        #expect(try office.perform("policy.list")["policies"]?.array?.count == 1)
        #expect(try office.perform("config.list")["configurations"] == [])
        #expect(try policies(office) == ["tenant"])
    }

    @Test("an app configuration that comes as a policy is an app configuration, and the tenant default stays in force")
    func configuration() throws {
        let office = try office()
        let document = Office.configuration(id: "red", ["color": "red"])
        let reply = try office.perform("policy.import", ["document": document])
        #expect(reply["policies"] == [] && reply["configurations"]?.array?.count == 1)
        try office.perform("config.assign", ["config": "red", "allUsers": true])
        try office.perform("config.target", ["config": "red", "allApps": true])
        let app = App(office)
        let received = try app.checkIn(app.enroll())
        #expect(received.policies.map(\.id) == ["tenant"] && received.configurations.map(\.id) == ["red"])
    }

    @Test("a mixed document goes into both stores, and comes out whole from each")
    func mixed() throws {
        let office = try office()
        let document: JSON = [
            "@odata.context": .string(ImportTests.context + "managedAppPolicies"),
            "value": [Office.policy(id: "a"), Office.configuration(id: "a", ["k": "v"]), Office.policy(id: "b")],
        ]
        let reply = try office.perform("policy.import", ["document": document])
        #expect(reply["policies"]?.array?.map { $0["id"] } == ["a", "b"])
        #expect(reply["configurations"]?.array?.map { $0["id"] } == ["a"])
        let number = try #require(reply["import"])
        for kind in ["policy", "config"] {
            #expect(try office.perform("\(kind).export", ["import": number])["document"] == document)
        }
        #expect(
            try office.perform("config.export", ["config": "a"])["document"]
                == Office.configuration(id: "a", ["k": "v"]))
        let alone = try office.refusal("config.import", ["document": document])
        #expect(alone?.code == .argument && alone?.message.contains("policy.import") == true)
        // One that cannot be kept takes the whole document along.
        let second: JSON = [Office.policy(id: "c"), Office.configuration(id: "d", ["k\0": "v"])]
        #expect(try office.refusal("policy.import", ["document": second]) != nil)
        #expect(try office.refusal("policy.show", ["policy": "c"])?.code == .notFound)
    }

    @Test("the type that a context or the caller states is the policy's from then on")
    func type() throws {
        let office = try office()
        let list: JSON = [
            "@odata.context": .string(ImportTests.context + "androidManagedAppProtections"),
            "value": [["id": "a"], ["id": "b"]],
        ]
        let reply = try office.perform("policy.import", ["document": list])
        #expect(reply["policies"]?.array?.map { $0["platform"] } == ["android", "android"])
        try office.perform("policy.import", ["document": ["id": "c"], "type": "default"])
        #expect(
            try office.perform("policy.show", ["policy": "c"])["type"] == "#microsoft.graph.defaultManagedAppProtection"
        )
        try office.perform("policy.import", ["document": ["id": "d"], "type": "config"])
        #expect(try office.perform("config.show", ["config": "d"])["values"] == [:])
    }

    @Test("what has a name and type that are there and no id is refused, or replaces")
    func replace() throws {
        let office = try office()
        func document(_ type: String, _ blocked: Bool) -> JSON {
            [
                "@odata.type": .string("#microsoft.graph.\(type)"), "displayName": "Strict",
                "printBlocked": .bool(blocked),
            ]
        }
        let ios = document("iosManagedAppProtection", false)
        let first = try office.perform("policy.import", ["document": ios])["policies"]?.array?.first?["id"]
        let id = try #require(first)
        try office.perform("policy.target", ["policy": id, "app": "notes"])
        let error = try office.refusal("policy.import", ["document": document("iosManagedAppProtection", true)])
        #expect(error?.code == .already && error?.message.contains("--replace") == true)
        #expect(error?.message.contains(id.string ?? "") == true)
        // Another type is another document, and so is one with an id.
        try office.perform("policy.import", ["document": document("androidManagedAppProtection", true)])
        let replaced = try office.perform(
            "policy.import", ["document": document("iosManagedAppProtection", true), "replace": true])
        #expect(replaced["policies"]?.array?.first?["id"] == id)
        #expect(replaced["policies"]?.array?.first?["apps"] == ["notes"])
        #expect(try office.perform("policy.list")["policies"]?.array?.count == 3)
        try office.perform("policy.import", ["document": .object((ios.object ?? []) + [("id", "own")])])
        let unclear = try office.refusal("policy.import", ["document": ios, "replace": true])
        #expect(unclear?.code == .argument && unclear?.message.contains("2 policies") == true)
        // Without a name there is nothing to tell it by.
        for _ in 0..<2 { try office.perform("policy.import", ["document": [:], "type": "ios"]) }
        let red: JSON = ["displayName": "Red", "customSettings": []]
        try office.perform("config.import", ["document": red, "type": "config"])
        #expect(try office.refusal("config.import", ["document": red, "type": "config"])?.code == .already)
        try office.perform("config.import", ["document": red, "type": "config", "replace": true])
        #expect(try office.perform("config.list")["configurations"]?.array?.count == 1)
    }

    @Test("what has the id of another type's policy is refused, or replaces")
    func otherType() throws {
        let office = try office()
        let ios = Office.policy(id: "tenant", type: "iosManagedAppProtection")
        let error = try office.refusal("policy.import", ["document": [Office.policy(id: "new"), ios]])
        #expect(error?.code == .already && error?.message.contains("--replace") == true)
        for word in ["defaultManagedAppProtection", "iosManagedAppProtection", "tenant"] {
            #expect(error?.message.contains(word) == true)
        }
        #expect(try office.perform("policy.list")["policies"]?.array?.map { $0["platform"] } == ["default"])
        try office.perform("policy.import", ["document": ios, "replace": true])
        #expect(try office.perform("policy.list")["policies"]?.array?.map { $0["platform"] } == ["ios"])
    }

    @Test("two of a name and type without ids need ids")
    func sameNames() throws {
        let office = try office()
        func document(_ type: String, _ name: String) -> JSON {
            ["@odata.type": .string("#microsoft.graph.\(type)"), "displayName": .string(name)]
        }
        let twice: JSON = [
            document("iosManagedAppProtection", "Strict"), document("iosManagedAppProtection", "STRICT"),
        ]
        let error = try office.refusal("policy.import", ["document": twice])
        #expect(error?.code == .argument && error?.message.contains("give each an id") == true)
        #expect(try office.perform("policy.list")["policies"]?.array?.count == 1)
        let both: JSON = [
            document("iosManagedAppProtection", "Strict"), document("androidManagedAppProtection", "Strict"),
        ]
        try office.perform("policy.import", ["document": both])
    }

    @Test("import, show and lint warn of the same, but for apps that were targeted since")
    func warnings() throws {
        let office = try office()
        let document = try JSON(
            parsing: ##"""
                {"@odata.type":"#microsoft.graph.iosManagedAppProtection","id":"a","printBlock":true,
                 "#microsoft.graph.assign":{},"exemptedAppProtocols":[{"name":"Z","value":"zoommtg"}],
                 "appGroupType":"selectedPublicApps","apps":[],
                 "assignments":[{"target":{"@odata.type":"#microsoft.graph.allLicensedUsersAssignmentTarget",
                  "deviceAndAppManagementAssignmentFilterId":"1","deviceAndAppManagementAssignmentFilterType":"include"}}]}
                """##)
        let warnings = try office.perform("policy.import", ["document": document])["warnings"]?.array
        let settings = ["printBlock", "exemptedAppProtocols", "appGroupType", "assignments"]
        #expect(warnings?.compactMap { $0["setting"]?.string } == settings)
        #expect(warnings?.first?["message"]?.string?.contains("printBlocked") == true)
        #expect(warnings?.allSatisfy { $0["policyId"] == "a" } == true)
        try office.perform("policy.target", ["policy": "a", "allApps": true])
        let shown = try office.perform("policy.show", ["policy": "a"])["warnings"]?.array
        #expect(shown?.compactMap { $0["setting"]?.string } == settings.filter { $0 != "appGroupType" })
    }
}
