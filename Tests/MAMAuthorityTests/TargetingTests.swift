import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory
import MAMPolicy

@Suite("policy targeting")
struct TargetingTests {
    /// The policies of `ann` in an app; empty where no policy allows her to enroll.
    private func policies(_ fixture: AuthorityFixture, app: String = "notes") throws -> [String] {
        let app = App(fixture, app: app)
        let enrollment: Enrollment
        do { enrollment = try app.enroll() } catch let failure as AuthorityFailure {
            #expect(failure.code == .licensedNotTargeted)
            return []
        }
        return try app.checkIn(enrollment).policies.map(\.id)
    }

    private func fixture() throws -> AuthorityFixture {
        let fixture = try AuthorityFixture(empty: true)
        try fixture.perform("user.add", ["upn": "ann@contoso.example", "accountId": "ann-id"])
        for group in ["Sales", "Guests"] { try fixture.perform("group.add", ["name": .string(group)]) }
        try fixture.perform("group.addMember", ["group": "Sales", "user": "ann-id"])
        try fixture.perform("policy.import", ["document": AuthorityFixture.policy(id: "a")])
        return fixture
    }

    @Test("a policy needs both a user and an app")
    func both() throws {
        let fixture = try fixture()
        #expect(try policies(fixture) == [])
        try fixture.perform("policy.assign", ["policy": "a", "group": "Sales"])
        #expect(try policies(fixture) == [])
        try fixture.perform("policy.target", ["policy": "a", "app": "notes"])
        #expect(try policies(fixture) == ["a"])
        #expect(try policies(fixture, app: "Notes") == [])
        try fixture.perform("policy.target", ["policy": "a", "allApps": true])
        #expect(try policies(fixture, app: "other") == ["a"])
        try fixture.perform("policy.untarget", ["policy": "a", "allApps": true])
        try fixture.perform("policy.untarget", ["policy": "a", "app": "notes"])
        #expect(try policies(fixture) == [])
    }

    @Test("a check-in lists all apps in which a policy reaches the user")
    func reachedApps() throws {
        let fixture = try fixture()
        func reached() throws -> TargetedApps {
            let app = App(fixture, app: "notes")
            return try app.checkIn(try app.enroll()).apps
        }
        try fixture.perform("policy.assign", ["policy": "a", "group": "Sales"])
        for app in ["notes", "mail"] { try fixture.perform("policy.target", ["policy": "a", "app": .string(app)]) }
        try fixture.perform("policy.import", ["document": AuthorityFixture.policy(id: "b")])
        try fixture.perform("policy.assign", ["policy": "b", "group": "Guests"])
        try fixture.perform("policy.target", ["policy": "b", "app": "games"])
        #expect(try reached() == .listed(["notes", "mail"]))
        try fixture.perform("policy.assign", ["policy": "b", "group": "Sales", "exclude": true])
        try fixture.perform("policy.assign", ["policy": "b", "allUsers": true])
        #expect(try !reached().contains("games"))
        try fixture.perform("policy.unassign", ["policy": "b", "group": "Sales", "exclude": true])
        #expect(try reached().contains("games") && !reached().contains("Games"))
        try fixture.perform("policy.target", ["policy": "b", "allApps": true])
        #expect(try reached() == .all)
        try fixture.perform("policy.untarget", ["policy": "b", "allApps": true])
        try fixture.perform(
            "policy.import", ["document": AuthorityFixture.policy(id: "d", type: "defaultManagedAppProtection")])
        #expect(try reached() == .all && reached().contains("anything"))
        for value: JSON in [true, ["a"], []] { #expect(TargetedApps(json: value)?.json == value) }
        for value: JSON in [false, "a", .null] { #expect(TargetedApps(json: value) == nil) }
    }

    @Test("other groups do not count, and exclusions take precedence")
    func groups() throws {
        let fixture = try fixture()
        try fixture.perform("policy.target", ["policy": "a", "allApps": true])
        try fixture.perform("policy.assign", ["policy": "a", "group": "Guests"])
        #expect(try policies(fixture) == [])
        try fixture.perform("policy.assign", ["policy": "a", "allUsers": true])
        #expect(try policies(fixture) == ["a"])
        try fixture.perform("policy.assign", ["policy": "a", "group": "Sales"])
        let summary = try fixture.perform("policy.assign", ["policy": "a", "group": "Sales", "exclude": true])
        #expect(summary["excludedGroups"] == ["Sales"])
        #expect(try policies(fixture) == [])
        try fixture.perform("policy.unassign", ["policy": "a", "group": "Sales", "exclude": true])
        #expect(try policies(fixture) == ["a"])
        try fixture.perform("policy.unassign", ["policy": "a", "allUsers": true])
        #expect(try policies(fixture) == ["a"])
        try fixture.perform("policy.unassign", ["policy": "a", "group": "Sales"])
        #expect(try policies(fixture) == [])
    }

    @Test("a tenant default yields to other policies, and has no exclusions")
    func tenantDefault() throws {
        let fixture = try fixture()
        try fixture.perform(
            "policy.import", ["document": AuthorityFixture.policy(id: "d", type: "defaultManagedAppProtection")])
        #expect(try policies(fixture) == ["d"])
        try fixture.perform("policy.assign", ["policy": "a", "allUsers": true])
        try fixture.perform("policy.target", ["policy": "a", "app": "notes"])
        #expect(try policies(fixture) == ["a"])
        #expect(try policies(fixture, app: "other") == ["d"])
        let excluding: KeyValuePairs<String, JSON> = ["policy": "d", "group": "Sales", "exclude": true]
        #expect(try fixture.refusal("policy.assign", excluding)?.code == .argument)
    }

    @Test("assignments and apps of a document apply")
    func insideDocuments() throws {
        let fixture = try fixture()
        try fixture.perform("group.add", ["name": "Late", "id": "g-late"])
        let document = try JSON(
            parsing: """
                {"id":"b","assignments":[
                   {"target":{"@odata.type":"#microsoft.graph.groupAssignmentTarget","groupId":"G-LATE"}},
                   {"target":{"@odata.type":"microsoft.graph.exclusionGroupAssignmentTarget","groupId":"g-not-yet"}}],
                 "apps":[{"mobileAppIdentifier":{"bundleId":"notes"}},{"mobileAppIdentifier":{"packageId":"mail"}},
                   {"mobileAppIdentifier":{"windowsAppId":"{odd-id}"}}]}
                """)
        let summary = try fixture.perform("policy.import", ["document": document, "type": "ios"])["policies"]?.array?
            .first
        #expect(summary?["groups"] == ["Late"])
        #expect(summary?["excludedGroups"] == ["g-not-yet"])
        #expect(summary?["apps"] == ["notes", "mail", "{odd-id}"])
        #expect(try policies(fixture) == [])
        try fixture.perform("group.addMember", ["group": "Late", "user": "ann-id"])
        #expect(try policies(fixture) == ["b"])
        #expect(try policies(fixture, app: "mail") == ["b"])
        // A group that is added later, with the id that the document names.
        try fixture.perform("group.add", ["name": "Out", "id": "g-not-yet"])
        try fixture.perform("group.addMember", ["group": "Out", "user": "ann-id"])
        #expect(try policies(fixture) == [])
        try fixture.perform("group.removeMember", ["group": "Out", "user": "ann-id"])
        try fixture.perform("policy.untarget", ["policy": "b", "app": "{odd-id}"])
        let all = try JSON(
            parsing: """
                {"id":"c","appGroupType":"allApps",
                 "assignments":[{"target":{"@odata.type":"#microsoft.graph.allLicensedUsersAssignmentTarget"}}]}
                """)
        try fixture.perform("policy.import", ["document": all, "type": "ios"])
        #expect(try policies(fixture) == ["b", "c"])
        #expect(try policies(fixture, app: "other") == ["c"])
    }

    @Test("an unknown group that a document names can be unassigned")
    func unassignUnknown() throws {
        let fixture = try fixture()
        let document = try JSON(
            parsing: """
                {"id":"b","assignments":[{"target":{"@odata.type":"#microsoft.graph.groupAssignmentTarget","groupId":"g"}}]}
                """)
        try fixture.perform("policy.import", ["document": document, "type": "ios"])
        #expect(try fixture.perform("policy.unassign", ["policy": "b", "group": "g"])["groups"] == [])
        #expect(try fixture.refusal("policy.unassign", ["policy": "b", "group": "g"])?.code == .notFound)
    }

    @Test("apps are known once a document targets them or an account enrolled in them")
    func apps() throws {
        let fixture = try AuthorityFixture()
        _ = try App(fixture).enroll()
        try fixture.perform("policy.target", ["policy": "strict", "app": "mail"])
        #expect(
            try fixture.perform("app.list")["apps"] == [
                ["id": "notes", "policies": 1, "configurations": 0, "registrations": 1],
                ["id": "mail", "policies": 1, "configurations": 0, "registrations": 0],
            ])
        // One that was named by mistake is unknown again.
        try fixture.perform("policy.untarget", ["policy": "strict", "app": "mail"])
        #expect(try fixture.perform("app.list")["apps"]?.array?.count == 1)
        #expect(try fixture.refusal("wipe.request", ["user": "ann-id", "app": "mail"])?.code == .notFound)
    }
}
