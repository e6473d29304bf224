import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

@Suite("users from a list")
struct UserImportTests {
    private static func list(_ users: [JSON], update: Bool = false) -> JSON {
        ["action": "user.import", "users": .array(users), "update": .bool(update)]
    }

    @Test("is the same as one action after the other")
    func same() throws {
        let (one, other) = (try AuthorityFixture(), try AuthorityFixture())
        try one.perform(
            UserImportTests.list([
                ["upn": "bob", "accountId": "b", "displayName": "Bob", "groups": ["Sales", "Staff", "sales"]],
                ["upn": "eve", "accountId": "e", "tenantId": "t-2", "enabled": false, "licensed": false],
                ["upn": "ann@contoso.example"],
            ]))
        try other.perform("user.add", ["upn": "bob", "accountId": "b", "displayName": "Bob"])
        try other.perform("group.add", ["name": "Sales"])
        try other.perform("group.add", ["name": "Staff"])
        try other.perform("group.addMember", ["group": "Sales", "user": "b"])
        try other.perform("group.addMember", ["group": "Staff", "user": "b"])
        try other.perform(
            "user.add", ["upn": "eve", "accountId": "e", "tenantId": "t-2", "enabled": false, "licensed": false])
        #expect(try one.perform("user.list") == other.perform("user.list"))
        let enrollment = try App(one).enroll("bob")
        #expect(try App(one).exchangeKeys(enrollment).map(\.epoch) == [1])
    }

    @Test("a user who was removed begins another epoch of keys")
    func epochs() throws {
        let fixture = try AuthorityFixture()
        try fixture.perform("user.remove", ["user": "ann-id", "force": true])
        try fixture.perform(UserImportTests.list([["upn": "ann@contoso.example", "accountId": "ann-id"]]))
        #expect(try App(fixture).exchangeKeys(App(fixture).enroll()).map(\.epoch) == [2])
    }

    @Test("each of many users has a key that verifies")
    func many() throws {
        let fixture = try AuthorityFixture()
        try fixture.perform(UserImportTests.list((0..<1203).map { ["upn": .string("person\($0)")] }))
        for number in [0, 498, 499, 500, 501, 999, 1000, 1202] {
            let app = App(fixture, device: "device\(number)")
            #expect(try app.exchangeKeys(app.enroll("person\(number)")).map(\.epoch) == [1])
        }
    }

    @Test("an existing user is unchanged, refused or changed")
    func existing() throws {
        let fixture = try AuthorityFixture()
        let ann: JSON = ["upn": "ANN@contoso.example", "accountId": "Ann-Id"]
        #expect(try fixture.perform("user.import", ["users": [["upn": "ann@contoso.example"]]])["unchanged"] == 1)
        // The spelling of a name differs, too.
        #expect(throws: MAMError(.already, "")) { try fixture.perform(UserImportTests.list([ann])) }
        #expect(try fixture.perform(UserImportTests.list([ann], update: true))["changed"] == 1)
        #expect(try fixture.perform("user.show", ["user": "ann-id"])["upn"] == "ANN@contoso.example")
        // An account id finds the user whose UPN changes.
        try fixture.perform(UserImportTests.list([["upn": "anna", "accountId": "ann-id"]], update: true))
        #expect(try fixture.perform("user.show", ["user": "anna"])["accountId"] == "ann-id")
    }

    @Test("the same user twice is refused, whatever names it")
    func twice() throws {
        let fixture = try AuthorityFixture()
        let ann: JSON = ["upn": "ann@contoso.example"]
        for second: JSON in [ann, ["upn": "anna", "accountId": "ann-id"], ["upn": "ANN-ID"]] {
            let error = try #require(throws: MAMError.self) {
                try fixture.perform(UserImportTests.list([ann, second], update: true))
            }
            #expect(error.code == .argument)
            #expect(error.detail.contains { $0.key == "index" && $0.value == 1 })
        }
        for second: JSON in [["upn": "B"], ["upn": "x", "accountId": "b"], ["upn": "c"]] {
            #expect(throws: MAMError(.argument, "")) {
                try fixture.perform(UserImportTests.list([["upn": "b", "accountId": "c"], second]))
            }
        }
        try fixture.perform(UserImportTests.list([["upn": "same", "accountId": "SAME"]]))
    }

    @Test("a change outside libmam stops the import")
    func tampered() throws {
        let fixture = try AuthorityFixture()
        let database = try Database(path: fixture.path, mode: .readWrite)
        try database.execute("UPDATE users SET enabled = 0")
        #expect(throws: MAMError(.tampered, "")) { try fixture.perform(UserImportTests.list([["upn": "bob"]])) }
    }
}
