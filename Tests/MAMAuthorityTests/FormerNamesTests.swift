import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

@Suite("former UPNs of users")
struct FormerNamesTests {
    private static func note(_ reply: JSON) -> String { reply["note"]?.string ?? "" }

    /// Ann is renamed to anna@.
    private func renamed() throws -> AuthorityFixture {
        let fixture = try AuthorityFixture()
        try fixture.perform("user.set", ["user": "ann-id", "upn": "anna@contoso.example"])
        return fixture
    }

    @Test("a second user under a former UPN: adding or wiping them comes with a note on the other one")
    func reused() throws {
        let fixture = try renamed()
        let words = "ann@contoso.example was the UPN of anna@contoso.example"
        let added = try fixture.perform("user.add", ["upn": "ann@contoso.example", "accountId": "second-id"])
        #expect(Self.note(added).contains(words))
        #expect(Self.note(try fixture.perform("wipe.request", ["user": "second-id"])).contains(words))
        #expect(!Self.note(try fixture.perform("wipe.request", ["user": "ann-id"])).contains("was the UPN"))
        // By an import as well, also one that renames.
        try fixture.perform("user.remove", ["user": "second-id", "force": true])
        let row: JSON = ["upn": "ann@contoso.example"]
        let imported = try fixture.perform("user.import", ["users": [row]])
        let told = imported["notes"]?.array?.first?.string ?? ""
        #expect(told.contains(words) && told.contains(#"the removed user "second-id""#))
        let rename: JSON = ["upn": "annabel@contoso.example", "accountId": "ann-id"]
        try fixture.perform("user.import", ["users": [rename], "update": true])
        let other: JSON = ["upn": "anna@contoso.example"]
        let notes = try fixture.perform("user.import", ["users": [other]])["notes"]?.array
        #expect(notes?.first?.string?.contains("anna@contoso.example was the UPN of annabel@contoso.example") == true)
    }

    @Test("a user gets their own former UPN again; a wipe by a former UPN is refused with the present one")
    func own() throws {
        let fixture = try renamed()
        let error = try #require(try fixture.refusal("wipe.request", ["user": "ann@contoso.example"]))
        #expect(error.code == .notFound)
        #expect(error.message.contains(#"it is a former name; did you mean "anna@contoso.example"?"#))
        let back = try fixture.perform("user.set", ["user": "ann-id", "upn": "ann@contoso.example"])
        #expect(!Self.note(back).contains("was the UPN"))
        // Removed, and added again with the same id.
        try fixture.perform("user.remove", ["user": "ann-id", "force": true])
        let again = try fixture.perform("user.add", ["upn": "ann@contoso.example", "accountId": "ann-id"])
        #expect(!Self.note(again).contains("was the UPN"))
        // Under another id, as after a removal by mistake.
        try fixture.perform("user.remove", ["user": "ann-id", "force": true])
        let other = try fixture.perform("user.add", ["upn": "ann@contoso.example"])
        #expect(Self.note(other).contains(#"was the UPN of the removed user "ann-id" before"#))
        #expect(Self.note(try fixture.perform("wipe.request", ["user": "ann@contoso.example"])).contains("ann-id"))
    }

    @Test("a file that was signed before there were former UPNs is verified, and upgraded")
    func upgrade() throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture, readOnly: true)
        let enrollment = try app.enroll()
        try fixture.downgrade(to: 6)
        let former = try Database(path: fixture.path, mode: .readOnly)
        #expect(try App(fixture, readOnly: true).checkIn(enrollment).policies.count == 1)
        try fixture.perform("user.set", ["user": "ann-id", "upn": "anna@contoso.example"])
        #expect(try former.first("PRAGMA user_version") { $0.integer(0) } == Schema.version)
        #expect(try App(fixture, readOnly: true).checkIn(enrollment).policies.count == 1)
    }
}
