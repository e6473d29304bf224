import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory
import MAMPolicy

@Suite("users and groups")
struct UserAndGroupTests {
    @Test("a user as added, with defaults")
    func add() throws {
        let fixture = try AuthorityFixture(empty: true)
        let user = try fixture.perform("user.add", ["upn": "Ann@Contoso.example", "accountId": "A-1"])
        #expect(
            user == [
                "accountId": "A-1", "upn": "Ann@Contoso.example", "tenantId": "t-1", "displayName": .null,
                "enabled": true,
                "licensed": true, "migrating": false, "requiresToken": false, "groups": [],
            ])
        #expect(try fixture.perform("user.show", ["user": "a-1"]) == user)
        #expect(try fixture.perform("user.show", ["user": "ANN@contoso.EXAMPLE"]) == user)
        let made = try fixture.perform("user.add", ["upn": "bob", "tenantId": "t-2", "enabled": false])
        #expect(made["accountId"]?.string?.utf8.count == 36)
        #expect(made["tenantId"] == "t-2")
        #expect(try fixture.perform("user.list")["users"]?.array?.map { $0["upn"] } == ["Ann@Contoso.example", "bob"])
    }

    @Test("ids and UPNs share one namespace, ignoring case")
    func duplicates() throws {
        let fixture = try AuthorityFixture()
        for keys: KeyValuePairs<String, JSON> in [
            ["upn": "ANN@CONTOSO.EXAMPLE"], ["upn": "x", "accountId": "ANN-ID"], ["upn": "ann-id"],
            ["upn": "x", "accountId": "ann@contoso.example"],
        ] { #expect(try fixture.refusal("user.add", keys)?.code == .already) }
        try fixture.perform("user.add", ["upn": "bob"])
        #expect(try fixture.refusal("user.set", ["user": "bob", "upn": "Ann@contoso.example"])?.code == .already)
        // Only ASCII is folded, so these are two users.
        try fixture.perform("user.add", ["upn": "Ä"])
        try fixture.perform("user.add", ["upn": "ä"])
    }

    @Test("only named properties of a user change")
    func set() throws {
        let fixture = try AuthorityFixture()
        let token = try fixture.write("secret\n", to: "token")
        let user = try fixture.perform(
            "user.set",
            [
                "user": "ann-id", "upn": "anna@contoso.example", "displayName": "Anna", "enabled": false,
                "licensed": false, "migrating": true, "accessTokenFile": .string(token),
            ])
        #expect(
            user == [
                "accountId": "ann-id", "upn": "anna@contoso.example", "tenantId": "t-1", "displayName": "Anna",
                "enabled": false, "licensed": false, "migrating": true, "requiresToken": true, "groups": [],
                "note": user["note"] ?? .null,
            ])
        #expect(user["note"]?.string?.contains("appActionIfUnableToAuthenticateUser") == true)
        let again = try fixture.perform("user.set", ["user": "ann-id"])
        #expect(again["note"] == nil && again["enabled"] == false)
        #expect(
            try fixture.perform("user.set", ["user": "ann-id", "accessTokenFile": .null])["requiresToken"] == false)
        try fixture.perform("user.set", ["user": "ann-id", "upn": "ANNA@contoso.example"])
    }

    @Test("a token file is neither empty nor too long")
    func tokenFiles() throws {
        let fixture = try AuthorityFixture()
        func code(_ text: String) throws -> MAMError.Code? {
            let path = try fixture.write(text, to: "token")
            return try fixture.refusal("user.set", ["user": "ann-id", "accessTokenFile": .string(path)])?.code
        }
        #expect(try code("") == .argument)
        #expect(try code("\n") == .argument)
        #expect(try code(String(repeating: "x", count: 4096) + "\n") == nil)
        #expect(try code(String(repeating: "x", count: 4097)) == .argument)
        #expect(try code(String(repeating: "x", count: 5000)) == .argument)
    }

    @Test("removing a user removes memberships and registrations")
    func remove() throws {
        let fixture = try AuthorityFixture()
        try fixture.perform("group.add", ["name": "Sales"])
        try fixture.perform("group.addMember", ["group": "Sales", "user": "ann-id"])
        let app = App(fixture)
        let enrollment = try app.enroll()
        #expect(try fixture.refusal("user.remove", ["user": "ann-id"])?.code == .denied)
        #expect(try fixture.refusal("user.remove", ["user": "ann-id", "force": false])?.code == .denied)
        #expect(try fixture.perform("authority.show")["registrations"] == 1)
        #expect(try fixture.perform("user.remove", ["user": "ann-id", "force": true])["groups"] == ["Sales"])
        #expect(try fixture.perform("group.show", ["group": "Sales"])["members"] == [])
        #expect(try fixture.perform("authority.show")["registrations"] == 0)
        #expect(try failure { try app.checkIn(enrollment) }?.code == .policyRecordGone)
        let again = try failure { try app.enroll() }
        #expect(again?.code == .authRequired)
        #expect(again?.isUserRefused == true)
    }

    @Test("groups have members, in order, each once")
    func groups() throws {
        let fixture = try AuthorityFixture()
        try fixture.perform("user.add", ["upn": "bob"])
        #expect(
            try fixture.perform("group.add", ["name": "Sales", "id": "g-1"]) == [
                "id": "g-1", "name": "Sales", "members": [],
            ])
        for user in ["bob", "ann-id", "bob"] {
            try fixture.perform("group.addMember", ["group": "SALES", "user": .string(user)])
        }
        #expect(try fixture.perform("group.show", ["group": "G-1"])["members"] == ["bob", "ann@contoso.example"])
        #expect(try fixture.perform("user.show", ["user": "bob"])["groups"] == ["Sales"])
        #expect(
            try fixture.perform("group.removeMember", ["group": "g-1", "user": "bob"])["members"]?.array?.count == 1)
        try fixture.perform("group.removeMember", ["group": "g-1", "user": "bob"])
        for keys: KeyValuePairs<String, JSON> in [["name": "sales"], ["name": "G-1"], ["name": "x", "id": "Sales"]] {
            #expect(try fixture.refusal("group.add", keys)?.code == .already)
        }
        try fixture.perform("group.add", ["name": "Guests"])
        #expect(try fixture.perform("group.list")["groups"]?.array?.map { $0["name"] } == ["Sales", "Guests"])
    }

    @Test("removing a group removes its assignments, and lists their documents")
    func removeGroup() throws {
        let fixture = try AuthorityFixture()
        try fixture.perform("group.add", ["name": "Sales", "id": "g-1"])
        try fixture.perform("policy.assign", ["policy": "strict", "group": "Sales"])
        try fixture.perform("config.import", ["document": AuthorityFixture.configuration(id: "red", [:])])
        try fixture.perform("config.assign", ["config": "red", "group": "g-1", "exclude": true])
        let removed = try fixture.perform("group.remove", ["group": "Sales"])
        #expect(removed["policies"] == ["strict"] && removed["configurations"] == ["red"])
        #expect(removed["excludingPolicies"] == [] && removed["excludingConfigurations"] == ["red"])
        #expect(try fixture.perform("config.show", ["config": "red"])["excludedGroups"] == [])
        #expect(try fixture.perform("policy.show", ["policy": "strict"])["groups"] == [])
        try fixture.perform("group.add", ["name": "Sales", "id": "g-1"])
        #expect(try fixture.perform("policy.show", ["policy": "strict"])["groups"] == [])
    }
}
