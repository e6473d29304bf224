import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

/// A change that takes the last policy from a user names them, because from their next check-in on nothing protects their data.
@Suite("changes that leave users without any policy")
struct LostPolicyTests {
    /// Ann and Bob in Sales, Eve in none; policy "all" for everybody in every app.
    private func fixture() throws -> AuthorityFixture {
        let fixture = try AuthorityFixture(empty: true)
        for name in ["ann", "bob", "eve"] {
            try fixture.perform("user.add", ["upn": .string("\(name)@contoso.example"), "accountId": .string(name)])
        }
        for group in ["Sales", "Guests"] { try fixture.perform("group.add", ["name": .string(group)]) }
        for name in ["ann", "bob"] {
            try fixture.perform("group.addMember", ["group": "Sales", "user": .string(name)])
        }
        try fixture.perform("policy.import", ["document": AuthorityFixture.policy(id: "all")])
        try fixture.perform("policy.assign", ["policy": "all", "allUsers": true])
        try fixture.perform("policy.target", ["policy": "all", "allApps": true])
        return fixture
    }

    /// Adds a policy that reaches a group in an app.
    private func add(_ id: String, group: String, app: String, to fixture: AuthorityFixture) throws {
        try fixture.perform("policy.import", ["document": AuthorityFixture.policy(id: id)])
        try fixture.perform("policy.assign", ["policy": .string(id), "group": .string(group)])
        try fixture.perform("policy.target", ["policy": .string(id), "app": .string(app)])
    }

    private static func lost(_ users: [String], apps: [String] = [], otherApps: Bool) -> JSON {
        [
            "users": .strings(users.map { "\($0)@contoso.example" }), "userCount": .integer(Int64(users.count)),
            "apps": .strings(apps), "appUserCounts": .array(apps.map { _ in .integer(Int64(users.count)) }),
            "appCount": .integer(Int64(apps.count)), "otherApps": .bool(otherApps),
            "otherAppsUserCount": .integer(otherApps ? Int64(users.count) : 0),
        ]
    }

    @Test("an exclusion names the members of the group, and a policy of theirs leaves its app out")
    func exclusion() throws {
        let fixture = try fixture()
        let reply = try fixture.perform("policy.assign", ["policy": "all", "group": "Sales", "exclude": true])
        #expect(reply["withoutPolicy"] == Self.lost(["ann", "bob"], otherApps: true))
        let back = try fixture.perform("policy.unassign", ["policy": "all", "group": "Sales", "exclude": true])
        #expect(back["withoutPolicy"] == nil)
        try add("mail", group: "Sales", app: "mail", to: fixture)
        try add("games", group: "Guests", app: "games", to: fixture)
        let other = try fixture.perform("policy.assign", ["policy": "all", "group": "Sales", "exclude": true])
        #expect(other["withoutPolicy"] == Self.lost(["ann", "bob"], apps: ["games"], otherApps: true))
    }

    @Test("every action that can take the last policy away says so, and where another policy is left none does")
    func everyAction() throws {
        let changes: [(prepare: [JSON], change: JSON, users: [String])] = [
            ([], ["action": "policy.unassign", "policy": "all", "allUsers": true], ["ann", "bob", "eve"]),
            ([], ["action": "policy.untarget", "policy": "all", "allApps": true], ["ann", "bob", "eve"]),
            ([], ["action": "policy.remove", "policy": "all"], ["ann", "bob", "eve"]),
            (
                [
                    ["action": "policy.assign", "policy": "all", "group": "Sales"],
                    ["action": "policy.unassign", "policy": "all", "allUsers": true],
                ], ["action": "group.removeMember", "group": "Sales", "user": "ann"], ["ann"]
            ),
            (
                [
                    ["action": "policy.assign", "policy": "all", "group": "Sales"],
                    ["action": "policy.unassign", "policy": "all", "allUsers": true],
                ], ["action": "group.remove", "group": "Sales"], ["ann", "bob"]
            ),
            (
                [["action": "policy.assign", "policy": "all", "group": "Guests", "exclude": true]],
                ["action": "group.addMember", "group": "Guests", "user": "eve"], ["eve"]
            ),
            (
                [["action": "policy.assign", "policy": "all", "group": "Guests", "exclude": true]],
                [
                    "action": "user.import", "update": true,
                    "users": [
                        ["upn": "bob@contoso.example", "groups": ["Guests"]],
                        ["upn": "new@contoso.example", "groups": ["Guests"]],
                    ],
                ], ["bob"]
            ),
            (
                [],
                [
                    "action": "policy.import",
                    "document": [
                        "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "all", "displayName": "ALL",
                        "assignments": [
                            [
                                "target": [
                                    "@odata.type": "#microsoft.graph.exclusionGroupAssignmentTarget",
                                    "groupId": "sales-id",
                                ]
                            ]
                        ],
                    ],
                ], []
            ),
        ]
        for (prepare, change, users) in changes {
            for hasAnother in [false, true] {
                let fixture = try fixture()
                if hasAnother {
                    try fixture.perform("policy.import", ["document": AuthorityFixture.policy(id: "other")])
                    try fixture.perform("policy.assign", ["policy": "other", "allUsers": true])
                    try fixture.perform("policy.target", ["policy": "other", "allApps": true])
                }
                for request in prepare { try fixture.perform(request) }
                let lost = try fixture.perform(change)["withoutPolicy"]
                let named = (lost?["users"]?.array ?? []).compactMap(\.string)
                #expect(named == (hasAnother ? [] : users.map { "\($0)@contoso.example" }), "\(change.text)")
            }
        }
    }

    @Test("a default policy that becomes one of a platform leaves everybody; a default one leaves nobody")
    func defaults() throws {
        let fixture = try fixture()
        try fixture.perform(
            "policy.import",
            ["document": AuthorityFixture.policy(id: "default", type: "defaultManagedAppProtection")])
        #expect(try fixture.perform("policy.remove", ["policy": "all"])["withoutPolicy"] == nil)
        let reply = try fixture.perform(
            "policy.import", ["document": AuthorityFixture.policy(id: "default"), "replace": true])
        #expect(reply["withoutPolicy"]?["userCount"] == 3)
    }

    @Test("each app has the number of its own users, without those of another policy there")
    func countsOfApps() throws {
        let fixture = try fixture()
        try add("notes", group: "Sales", app: "notes", to: fixture)
        let lost = try fixture.perform("policy.unassign", ["policy": "all", "allUsers": true])["withoutPolicy"]
        #expect(lost?["users"] == ["ann@contoso.example", "bob@contoso.example", "eve@contoso.example"])
        #expect(lost?["apps"] == ["notes"])
        #expect(lost?["appUserCounts"] == [1])
        #expect(lost?["otherAppsUserCount"] == 3)
    }

    @Test("of many users the first are named, and all are counted")
    func many() throws {
        let fixture = try AuthorityFixture(empty: true)
        let users = (1...30).map { JSON.object([("upn", .string("user\($0)@contoso.example"))]) }
        try fixture.perform("user.import", ["users": .array(users)])
        try fixture.perform("policy.import", ["document": AuthorityFixture.policy(id: "a")])
        try fixture.perform("policy.target", ["policy": "a", "app": "notes"])
        try fixture.perform("policy.assign", ["policy": "a", "allUsers": true])
        let lost = try fixture.perform("policy.untarget", ["policy": "a", "app": "notes"])["withoutPolicy"]
        #expect(lost?["users"]?.array?.count == 20)
        #expect(lost?["userCount"] == 30)
        #expect(lost?["apps"] == ["notes"])
        #expect(lost?["otherApps"] == false)
    }

    @Test("an assignment is not taken back as an exclusion, nor the other way round")
    func kinds() throws {
        let fixture = try fixture()
        try fixture.perform("policy.assign", ["policy": "all", "group": "Sales", "exclude": true])
        let refusal = try fixture.refusal("policy.unassign", ["policy": "all", "group": "Sales"])
        #expect(refusal?.code == .argument)
        #expect(refusal?.message.contains("--exclude") == true)
        try fixture.perform("policy.unassign", ["policy": "all", "group": "Sales", "exclude": true])
        // Removing what is neither changes nothing, is no error, and is noted.
        let nothing = try fixture.perform("policy.unassign", ["policy": "all", "group": "Sales"])
        #expect(nothing["note"] == #""Sales" was not assigned to it, and it reaches all users"#)
        try fixture.perform("policy.assign", ["policy": "all", "group": "Sales"])
        let other = try fixture.refusal("policy.unassign", ["policy": "all", "group": "Sales", "exclude": true])
        #expect(other?.code == .argument)
    }
}
