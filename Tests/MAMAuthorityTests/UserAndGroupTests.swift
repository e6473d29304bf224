import MAMSupport
import Testing

@testable import MAMAuthority

@Suite("users and groups")
struct UserAndGroupTests {
    @Test("a user as added, with defaults")
    func add() throws {
        let office = try Office(empty: true)
        let user = try office.perform("user.add", ["upn": "Ann@Contoso.example", "accountId": "A-1"])
        #expect(
            user == [
                "accountId": "A-1", "upn": "Ann@Contoso.example", "tenantId": "t-1", "displayName": .null,
                "enabled": true,
                "licensed": true, "migrating": false, "requiresToken": false, "groups": [],
            ])
        #expect(try office.perform("user.show", ["user": "a-1"]) == user)
        #expect(try office.perform("user.show", ["user": "ANN@contoso.EXAMPLE"]) == user)
        let made = try office.perform("user.add", ["upn": "bob", "tenantId": "t-2", "enabled": false])
        #expect(made["accountId"]?.string?.utf8.count == 36)
        #expect(made["tenantId"] == "t-2")
        #expect(try office.perform("user.list")["users"]?.array?.map { $0["upn"] } == ["Ann@Contoso.example", "bob"])
    }

    @Test("a name is one user's, whatever its case and whether id or UPN")
    func duplicates() throws {
        let office = try Office()
        for keys: KeyValuePairs<String, JSON> in [
            ["upn": "ANN@CONTOSO.EXAMPLE"], ["upn": "x", "accountId": "ANN-ID"], ["upn": "ann-id"],
            ["upn": "x", "accountId": "ann@contoso.example"],
        ] { #expect(try office.refusal("user.add", keys)?.code == .already) }
        try office.perform("user.add", ["upn": "bob"])
        #expect(try office.refusal("user.set", ["user": "bob", "upn": "Ann@contoso.example"])?.code == .already)
        // Only ASCII is folded: these are two users.
        try office.perform("user.add", ["upn": "Ä"])
        try office.perform("user.add", ["upn": "ä"])
    }

    @Test("a user changes in what is named")
    func set() throws {
        let office = try Office()
        let token = try office.write("secret\n", to: "token")
        let user = try office.perform(
            "user.set",
            [
                "user": "ann-id", "upn": "anna@contoso.example", "displayName": "Anna", "enabled": false,
                "licensed": false, "migrating": true, "accessTokenFile": .string(token),
            ])
        #expect(
            user == [
                "accountId": "ann-id", "upn": "anna@contoso.example", "tenantId": "t-1", "displayName": "Anna",
                "enabled": false, "licensed": false, "migrating": true, "requiresToken": true, "groups": [],
            ])
        #expect(try office.perform("user.set", ["user": "ann-id"]) == user)
        #expect(try office.perform("user.set", ["user": "ann-id", "accessTokenFile": .null])["requiresToken"] == false)
        try office.perform("user.set", ["user": "ann-id", "upn": "ANNA@contoso.example"])
    }

    @Test("a token file is neither empty nor too long")
    func tokenFiles() throws {
        let office = try Office()
        func code(_ text: String) throws -> MAMError.Code? {
            let path = try office.write(text, to: "token")
            return try office.refusal("user.set", ["user": "ann-id", "accessTokenFile": .string(path)])?.code
        }
        #expect(try code("") == .argument)
        #expect(try code("\n") == .argument)
        #expect(try code(String(repeating: "x", count: 4096) + "\n") == nil)
        #expect(try code(String(repeating: "x", count: 4097)) == .argument)
        #expect(try code(String(repeating: "x", count: 5000)) == .argument)
    }

    @Test("with a user go memberships and enrollments")
    func remove() throws {
        let office = try Office()
        try office.perform("group.add", ["name": "Sales"])
        try office.perform("group.addMember", ["group": "Sales", "user": "ann-id"])
        let app = App(office)
        let enrollment = try app.enroll()
        #expect(try office.perform("user.remove", ["user": "ann-id"])["groups"] == ["Sales"])
        #expect(try office.perform("group.show", ["group": "Sales"])["members"] == [])
        #expect(try office.perform("authority.show")["registrations"] == 0)
        #expect(try failure { try app.checkIn(enrollment) }?.code == .policyRecordGone)
        let again = try failure { try app.enroll() }
        #expect(again?.code == .authRequired)
        #expect(again?.isUserRefused == true)
    }

    @Test("groups have members, in order, each once")
    func groups() throws {
        let office = try Office()
        try office.perform("user.add", ["upn": "bob"])
        #expect(
            try office.perform("group.add", ["name": "Sales", "id": "g-1"]) == [
                "id": "g-1", "name": "Sales", "members": [],
            ])
        for user in ["bob", "ann-id", "bob"] {
            try office.perform("group.addMember", ["group": "SALES", "user": .string(user)])
        }
        #expect(try office.perform("group.show", ["group": "G-1"])["members"] == ["bob", "ann@contoso.example"])
        #expect(try office.perform("user.show", ["user": "bob"])["groups"] == ["Sales"])
        #expect(
            try office.perform("group.removeMember", ["group": "g-1", "user": "bob"])["members"]?.array?.count == 1)
        try office.perform("group.removeMember", ["group": "g-1", "user": "bob"])
        for keys: KeyValuePairs<String, JSON> in [["name": "sales"], ["name": "G-1"], ["name": "x", "id": "Sales"]] {
            #expect(try office.refusal("group.add", keys)?.code == .already)
        }
        try office.perform("group.add", ["name": "Guests"])
        #expect(try office.perform("group.list")["groups"]?.array?.map { $0["name"] } == ["Sales", "Guests"])
    }

    @Test("removing a group takes its assignments, and tells whose")
    func removeGroup() throws {
        let office = try Office()
        try office.perform("group.add", ["name": "Sales", "id": "g-1"])
        try office.perform("policy.assign", ["policy": "strict", "group": "Sales"])
        try office.perform("config.import", ["document": Office.configuration(id: "red", [:])])
        try office.perform("config.assign", ["config": "red", "group": "g-1", "exclude": true])
        let removed = try office.perform("group.remove", ["group": "Sales"])
        #expect(removed["policies"] == ["strict"] && removed["configurations"] == ["red"])
        #expect(try office.perform("config.show", ["config": "red"])["excludedGroups"] == [])
        #expect(try office.perform("policy.show", ["policy": "strict"])["groups"] == [])
        try office.perform("group.add", ["name": "Sales", "id": "g-1"])
        #expect(try office.perform("policy.show", ["policy": "strict"])["groups"] == [])
    }
}
