import MAMSupport
import Testing

@testable import MAMAuthority

@Suite("whom a policy reaches")
struct TargetingTests {
    /// What `ann` gets in an app; [] where she cannot enroll for want of a policy.
    private func policies(_ office: Office, app: String = "notes") throws -> [String] {
        let app = App(office, app: app)
        let enrollment: Enrollment
        do { enrollment = try app.enroll() } catch let failure as AuthorityFailure {
            #expect(failure.code == .licensedNotTargeted)
            return []
        }
        return try app.checkIn(enrollment).policies.map(\.id)
    }

    private func office() throws -> Office {
        let office = try Office(empty: true)
        try office.perform("user.add", ["upn": "ann@contoso.example", "accountId": "ann-id"])
        for group in ["Sales", "Guests"] { try office.perform("group.add", ["name": .string(group)]) }
        try office.perform("group.addMember", ["group": "Sales", "user": "ann-id"])
        try office.perform("policy.import", ["document": Office.policy(id: "a")])
        return office
    }

    @Test("both a user and an app are needed")
    func both() throws {
        let office = try office()
        #expect(try policies(office) == [])
        try office.perform("policy.assign", ["policy": "a", "group": "Sales"])
        #expect(try policies(office) == [])
        try office.perform("policy.target", ["policy": "a", "app": "notes"])
        #expect(try policies(office) == ["a"])
        #expect(try policies(office, app: "Notes") == [])
        try office.perform("policy.target", ["policy": "a", "allApps": true])
        #expect(try policies(office, app: "other") == ["a"])
        try office.perform("policy.untarget", ["policy": "a", "allApps": true])
        try office.perform("policy.untarget", ["policy": "a", "app": "notes"])
        #expect(try policies(office) == [])
    }

    @Test("a check-in tells in which apps policies reach the user, whichever asks")
    func reachedApps() throws {
        let office = try office()
        func reached() throws -> ReachedApps {
            let app = App(office, app: "notes")
            return try app.checkIn(try app.enroll()).apps
        }
        try office.perform("policy.assign", ["policy": "a", "group": "Sales"])
        for app in ["notes", "mail"] { try office.perform("policy.target", ["policy": "a", "app": .string(app)]) }
        try office.perform("policy.import", ["document": Office.policy(id: "b")])
        try office.perform("policy.assign", ["policy": "b", "group": "Guests"])
        try office.perform("policy.target", ["policy": "b", "app": "games"])
        #expect(try reached() == .listed(["notes", "mail"]))
        try office.perform("policy.assign", ["policy": "b", "group": "Sales", "exclude": true])
        try office.perform("policy.assign", ["policy": "b", "allUsers": true])
        #expect(try !reached().contains("games"))
        try office.perform("policy.unassign", ["policy": "b", "group": "Sales", "exclude": true])
        #expect(try reached().contains("games") && !reached().contains("Games"))
        try office.perform("policy.target", ["policy": "b", "allApps": true])
        #expect(try reached() == .all)
        try office.perform("policy.untarget", ["policy": "b", "allApps": true])
        try office.perform(
            "policy.import", ["document": Office.policy(id: "d", type: "defaultManagedAppProtection")])
        #expect(try reached() == .all && reached().contains("anything"))
        for value: JSON in [true, ["a"], []] { #expect(ReachedApps(json: value)?.json == value) }
        for value: JSON in [false, "a", .null] { #expect(ReachedApps(json: value) == nil) }
    }

    @Test("other groups do not count, and an exclusion counts more")
    func groups() throws {
        let office = try office()
        try office.perform("policy.target", ["policy": "a", "allApps": true])
        try office.perform("policy.assign", ["policy": "a", "group": "Guests"])
        #expect(try policies(office) == [])
        try office.perform("policy.assign", ["policy": "a", "allUsers": true])
        #expect(try policies(office) == ["a"])
        try office.perform("policy.assign", ["policy": "a", "group": "Sales"])
        let summary = try office.perform("policy.assign", ["policy": "a", "group": "Sales", "exclude": true])
        #expect(summary["excludedGroups"] == ["Sales"])
        #expect(try policies(office) == [])
        try office.perform("policy.unassign", ["policy": "a", "group": "Sales", "exclude": true])
        #expect(try policies(office) == ["a"])
        try office.perform("policy.unassign", ["policy": "a", "allUsers": true])
        #expect(try policies(office) == ["a"])
        try office.perform("policy.unassign", ["policy": "a", "group": "Sales"])
        #expect(try policies(office) == [])
    }

    @Test("a tenant default stands back where another policy reaches, and excludes nobody")
    func tenantDefault() throws {
        let office = try office()
        try office.perform("policy.import", ["document": Office.policy(id: "d", type: "defaultManagedAppProtection")])
        #expect(try policies(office) == ["d"])
        try office.perform("policy.assign", ["policy": "a", "allUsers": true])
        try office.perform("policy.target", ["policy": "a", "app": "notes"])
        #expect(try policies(office) == ["a"])
        #expect(try policies(office, app: "other") == ["d"])
        let excluding: KeyValuePairs<String, JSON> = ["policy": "d", "group": "Sales", "exclude": true]
        #expect(try office.refusal("policy.assign", excluding)?.code == .argument)
    }

    @Test("assignments and apps inside a document count")
    func insideDocuments() throws {
        let office = try office()
        try office.perform("group.add", ["name": "Late", "id": "g-late"])
        let document = try JSON(
            parsing: """
                {"id":"b","assignments":[
                   {"target":{"@odata.type":"#microsoft.graph.groupAssignmentTarget","groupId":"G-LATE"}},
                   {"target":{"@odata.type":"microsoft.graph.exclusionGroupAssignmentTarget","groupId":"g-not-yet"}}],
                 "apps":[{"mobileAppIdentifier":{"bundleId":"notes"}},{"mobileAppIdentifier":{"packageId":"mail"}},
                   {"mobileAppIdentifier":{"windowsAppId":"{odd-id}"}}]}
                """)
        let summary = try office.perform("policy.import", ["document": document, "type": "ios"])["policies"]?.array?
            .first
        #expect(summary?["groups"] == ["Late"])
        #expect(summary?["excludedGroups"] == ["g-not-yet"])
        #expect(summary?["apps"] == ["notes", "mail", "{odd-id}"])
        #expect(try policies(office) == [])
        try office.perform("group.addMember", ["group": "Late", "user": "ann-id"])
        #expect(try policies(office) == ["b"])
        #expect(try policies(office, app: "mail") == ["b"])
        // A group that comes later under the id in the document.
        try office.perform("group.add", ["name": "Out", "id": "g-not-yet"])
        try office.perform("group.addMember", ["group": "Out", "user": "ann-id"])
        #expect(try policies(office) == [])
        try office.perform("group.removeMember", ["group": "Out", "user": "ann-id"])
        try office.perform("policy.untarget", ["policy": "b", "app": "{odd-id}"])
        let all = try JSON(
            parsing: """
                {"id":"c","appGroupType":"allApps",
                 "assignments":[{"target":{"@odata.type":"#microsoft.graph.allLicensedUsersAssignmentTarget"}}]}
                """)
        try office.perform("policy.import", ["document": all, "type": "ios"])
        #expect(try policies(office) == ["b", "c"])
        #expect(try policies(office, app: "other") == ["c"])
    }

    @Test("a group that a document names and nobody has can be taken back")
    func unassignUnknown() throws {
        let office = try office()
        let document = try JSON(
            parsing: """
                {"id":"b","assignments":[{"target":{"@odata.type":"#microsoft.graph.groupAssignmentTarget","groupId":"g"}}]}
                """)
        try office.perform("policy.import", ["document": document, "type": "ios"])
        #expect(try office.perform("policy.unassign", ["policy": "b", "group": "g"])["groups"] == [])
        #expect(try office.refusal("policy.unassign", ["policy": "b", "group": "g"])?.code == .notFound)
    }

    @Test("apps are known once a document targets them or an account enrolled in them")
    func apps() throws {
        let office = try Office()
        _ = try App(office).enroll()
        try office.perform("policy.target", ["policy": "strict", "app": "mail"])
        #expect(
            try office.perform("app.list")["apps"] == [
                ["id": "notes", "policies": 1, "configurations": 0, "registrations": 1],
                ["id": "mail", "policies": 1, "configurations": 0, "registrations": 0],
            ])
    }
}
